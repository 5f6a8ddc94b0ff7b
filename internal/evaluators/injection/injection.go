// SPDX-License-Identifier: Apache-2.0

// Package injection finds signs of prompt injection by their form: marks of
// chat templates, orders to ignore instructions in languages without spaces between words or
// with many endings, invisible text, and nonsense behind a plain request. It decodes
// what is hidden in hexadecimal, ROT13 and reversed letters. It is given a text and says
// whether it has one.
package injection

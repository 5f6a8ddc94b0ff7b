// SPDX-License-Identifier: Apache-2.0

import { zone, zoneName } from "../shell/settings";
import { moment } from "./format";
import { visible } from "./visible";

/** A sentence of the API with its times in the zone that is chosen. What stands in quotes is a text of a user's and stays. */
export const sentence = (text: string) =>
  visible(text).replace(/"(?:[^"\\]|\\.)*"|\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (found) =>
    found.startsWith('"') ? found : `${moment(Date.parse(found), zone.value).slice(0, 19)} ${zoneName.value}`);

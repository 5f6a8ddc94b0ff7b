# SPDX-License-Identifier: Apache-2.0
#
# Writes python_re.jsonl: what re.search of CPython 3.11 says to each expression
# on each text, and which expressions it refuses:
#
#     python3 python_re.py > python_re.jsonl

import json
import re
import warnings

warnings.simplefilter("ignore")

TEXTS = [
    "", "a", "ab", "aab", "aaab", "abc", "ABC", "b", "\n", "a\n", "a\nb", "\na", "a\r\nb", "ab\n\n",
    "foo bar", "foo_bar-1", "é", "École", "ÀÉ", "ß", "ẞ", "ſ", "K", "İ", "ı", "σς", "ΣΣ", "straße", "STRASSE",
    "٣", "½", "²", "Ⅷ", "中文", "日本 12", "e\u0301", "\u200b", "\u00a0", "\u2028", "a\u2028b", "\x1c", "a\x1fb", "\x0b", "\x85", "\ufeff",
    "😀", "a😀b", "{2}", "a{,2}b", "x{1,a}", "[a]", "]", "^", "-", "\\", "a-b", "a.b", "(a)", "a|b", "aXbX", "abab", "abba", "xyzzy",
    "2024-05-06", "ada@example.org", "user_42", '{"a": [1, 2]}', "<b>x</b><b>y</b>", "''", "#", "a b", "a # b", "_", "aa  bb", "1,234.50",
]

EXPRESSIONS = """
a ^a a$ ^a$ \\Aa a\\Z \\Ab \\Z ^$ ^\\Z . .. ^.$ ^..$ .+ ^.*$ ^.+\\Z a.b a\\.b a|b ^(a|b)$ (?:a|b)+ (a)(b)? (a)|(b) [ab] [^ab] [a-c] [^a-c] []a] [^]a] [a\\]] [a-] [-a] [\\-a] [a^] [\\^] [[] [[a] [a[] [.] [|] [(] [$]
\\d ^\\d$ \\D ^\\D$ \\w ^\\w$ ^\\w+$ \\W ^\\W$ \\s ^\\s$ \\S ^\\S$ ^\\S+$ \\b \\B \\ba a\\b \\Ba a\\B \\bb\\b [\\d] [^\\d] [\\w] [^\\w] [\\s] [^\\s] [\\S] [^\\S] [\\W] [^\\W] [\\D] [^\\D] [\\w-] [\\w.-]+@[\\w.-]+ [\\s\\S] [\\w\\W] ^[\\d\\D]$ [\\b] [\\n] [\\t ] \\n \\r \\t \\f \\v \\a \\x41 \\x61 \\u0061 \\u00e9 \\U00000061 \\U0001F600 \\N{DIGIT\\ ONE} \\141 \\0 \\60 [\\141] [\\0]
a* ^a*$ a+ a? a{2} a{2,} a{,2} ^a{,2}b$ ^a{2,3}b$ a{0} ^a{1,2}$ a{,} ^a{,}b a{ a{a} a{2 a{2,b} {2} x{1,a} a*? a+? a?? a{1,2}? ^a+?b ^a*?$ a++ ^a++b ^a*+b ^a*+ab ^a++ab a?+ ^a?+ab a{1,2}+ ^a{1,2}+ab ^(?>a+)ab ^(?>a+)b (?>a|ab)c ^(?>a|ab)c (a+)+b ^(a|ab)(c|bcd)?$ (ab)+ (ab){2} ^(ab|ba){2}$ a** a+* a?* a{2}{3} a{2}* *a +a ?a |a a| () (|a) (a|)b ^* $* ^+ \\b* (?:a*)* (?:a*)+ (a*)* ((a)) (a(b)?)+
(?=a) (?=b)b (?!a) ^(?!a) a(?=b) a(?!b) (?<=a)b (?<!a)b (?<=aa)b (?<=a|b)b (?<=a+)b (?<=ab|b)c (?<!\\w)a (?<=^a)b (?<=\\n)b (?<=(a))b (?=(a))\\1 (?<=\\Aa)b
(a)\\1 ^(a)\\1 (ab)\\1 (.)(.)\\2\\1 (?P<x>a)(?P=x) (?P<x>a)\\1 (?P<x>.)(?P<y>.)(?P=y)(?P=x) (?P<x>ab)(?P=x) (a)?(?(1)b|c) ^(a)?(?(1)b|c)$ ^(?P<x>a)?(?(x)b|b)$ (a)(?(1)b) (?(1)a|b) (?P<é>a)(?P=é) (?P<1>a) (?P<x>a)(?P<x>b) (?P=x) (?P<x a) (?<x>a) \\k<x> \\1 (a)\\2 \\g<1> (?P>x) (?R) (?1) (?#note)a a(?#note)b (?#a
(?i)A (?i)É (?i)SS (?i)ß (?i)s (?i)k (?i)Σ (?i)σ (?i)I (?i)i (?i)[a-c] (?i)[A-C]b (?i)[^a] (?i)straße (?i)STRASSE (?i)ſ (?i)K (?i)\\u212a (?i:A)b (?i:a)B (?-i:a) (?i)(?-i:A) (?s). (?s)^.$ (?s)a.b (?s:a.b) (?m)^b (?m)a$ (?m)^$ (?m)^b$ (?m)\\Ab (?m)a\\Z (?m:^b) (?x)a\\ b (?x)a#b (?x)[#] (?x)a\\#b (?xi)A\\ B (?u)a (?iu)A (?a)\\w (?L)a (?ims)A.B (?u:a) (?iu:A) a(?i)b a(?i:B) (?i (?z)a (?i-s:A.b) (?-s:a.b) (?t)a
\\A\\w+\\Z ^\\w+-\\d$ ^\\d{4}-\\d{2}-\\d{2}$ ^[\\w.]+@\\w+\\.\\w{2,}$ <b>(.*?)</b> <b>(.*)</b> ^(?=.*\\d)(?=.*[a-z]).+$ ^(?!.*bar).*$ (?<!\\d)\\d{4}(?!\\d) "[^"]*" ^[^\\W\\d_]+$ ^[^\\W_]+$ [^\\x00-\\x7f] ^[\\x00-\\x7f]+$ [à-ÿ] ^[à-ÿ]$ [一-龥] ^[一-龥]+$ [\\u4e00-\\u9fa5]+ [😀-😂] ^.$ ^..$ \\. \\- \\_ \\@ \\: \\/ \\" \\' \\# \\% \\& \\= \\! \\~ \\` \\< \\> \\, \\; \\  \\é \\q \\y \\z \\Y \\G \\K \\R \\X \\h \\H \\p \\p{L} \\P{L} \\p{IsGreek} \\c \\cA \\e \\E \\Q \\i \\j \\l \\m \\o \\C \\x4 \\u12 \\U123 \\x \\N \\N{NOPE} \\N{LATIN\\ SMALL\\ LETTER\\ A} \\8 \\9 \\08 \\400 \\777 [\\400] [\\8] [\\q] [\\A] [\\Z] [\\B] [\\é] [b-a] [a-\\d] [\\d-a] [ [a [] [^] [^ ( ) (a (? (?P (?P< (?< (?= \\ a\\ [a&&b] [a--b] [a~~b] [a||b] [[:alpha:]] [a-z&&[^b]] [a-z-[b]] (?|a|b) (?'x'a) (?<x>a)\\k<x> a{1}{2} a{2,1} a{99999999999} (?:) (?:a) (?:a (?i: $ ^ $a a^ ^^a a$$ $$ (^a) (a$) (?:^|b)a (?:a|$)b \\Aa\\Z|b
^[a-z0-9]+(?:[._-][a-z0-9]+)*$ ^(?P<user>[\\w.+-]+)@(?P<host>[\\w-]+\\.[a-z]{2,})$ ^(?P<y>\\d{4})-(?P<m>0[1-9]|1[0-2])-(?P<d>\\d\\d)$ ^#?[0-9a-f]{3}(?:[0-9a-f]{3})?$ ^\\d{1,3}(?:,\\d{3})*(?:\\.\\d+)?$ ^[A-Z]{1,3}$ ^[A-Za-z_]\\w*$ ^\\S+\\s\\S+$ ^(?:\\w+\\s){1,3}\\w+$ (\\w)\\1 (\\w)(?=\\1) (?P<q>['"]).*?(?P=q) <(\\w+)>.*?</\\1> ^<(?P<tag>\\w+)>(?:.|\\n)*</(?P=tag)>$ ^\\s*$ \\s{2,} ^\\s|\\s$ (?<=a\\s)b (?<!\\w)-(?!\\w) (?<=[.,])\\d{2,3}\\b \\b\\w{3}\\b \\b[A-Z]\\w*\\b ^(?=.{3}$)[a-z]+$ ^(?!.*\\d)\\S+$ ^(?!$).* ^((?!bar).)*$ ^.{0,2}$ ^[^a]*$ [^\\w\\s] ^\\W+$ [\\d.]+,?[\\d.]* ^\\{.*\\}$ "(\\w+)":\\s*(\\[.*?\\]|".*?"|\\d+) \\[(?:\\d+(?:,\\s*)?)+\\] ^(a+|b+)*$ (?:ab){2,}|ba (?i)^éCOLE$ (?i)[à-é]+ (?i)σς (?ms)^a.*b$ (?m)^b?$ (?s)a.*b (?x)^\\d{4}(?#year)-\\d\\d ^[\\u00c0-\\u017f]+$ [^\\W\\d] ^[\\w\\s]+$ ^\\d+$ ^[0-9]+$ (?a)^\\d+$ (?a:\\w+)\\Z \\w+(?!\\w) a(?:b|c)*?$ ^(?:(a)|b)(?(1)a|b) ^(?>\\w+)\\d \\w++\\d ^\\w{2,4}?b ^[\\w&&[^a]]$ [a-c-e] [\\w-z] (?P<n>a)|(?P<m>b) ((?:a|b)+)\\1 (?:(?:a)) (?=.*b)(?=.*a) ^a{1,3}?b$ [\\]\\[] [\\-\\\\] \\$\\^ \\x7b\\d\\x7d \\u{61} (?-x:a) (?i-m:A) (?is)A.B (?P<a1>a)(?P<b_2>b) (?P<2a>a) (?P<a-b>a) \\g{1} (?:a)(?P=q) [\\N{DIGIT\ ONE}] \\N{EM\ DASH} (?<a>b) (?<=a{2})b (?<=a{1,2})b (?<=\\b)a (?<=$)a (?!) (?=) (?:)* [] []] [^]] a{01} a{,02} a{1,2 }
""".replace("\\ ", "\0").split()


# The settings of each expression: none, case ignored, and DOTALL with MULTILINE.
SETTINGS = (0, re.I, re.S | re.M)


def found(expression, flags):
    """For each text whether it is found, "" where the expression is refused."""
    try:
        compiled = re.compile(expression, flags)
    except (re.error, OverflowError):
        return ""
    return "".join("1" if compiled.search(text) else "0" for text in TEXTS)


print(json.dumps({"texts": TEXTS}, ensure_ascii=False))
for expression in dict.fromkeys(e.replace("\0", "\\ " if not e.startswith("\\N") else " ") for e in EXPRESSIONS):
    print(json.dumps({"regex": expression, "found": [found(expression, flags) for flags in SETTINGS]}, ensure_ascii=False))

package extract_test

import "testing"

// A line break in the source of a Chinese or Japanese text is no blank, between tags or not; elsewhere it is one.
func TestExtractor_ContentJoinsLinesOfEasternScripts(t *testing.T) {
	for _, tt := range []struct{ name, html, want string }{
		{"Chinese", "<p>防火\n墙规则，\n  一条一行</p>", "防火墙规则，一条一行"},
		{"Japanese", "<p>パッケー\r\nジを探す\n。</p>", "パッケージを探す。"},
		{"around a tag", "<p>防火\n<b>墙</b>\n规<i>则\n</i>好</p>", "防火墙规则好"},
		{"between tags", "<p><b>防火</b>\n<b>墙</b></p>", "防火墙"},
		{"beside other letters", "<p>安装\napt\n软件\n<b>dpkg</b>\n包</p>", "安装 apt 软件 dpkg 包"},
		{"a blank that was typed", "<p>软件 包</p>", "软件 包"},
		{"blocks", "<p>软件\n</p>\n<p>包</p>\n<table><tr><td>甲\n</td>\n<td>乙</td></table>", "软件\n包\n甲 乙"},
		{"lines as written", "<pre>软件\n包</pre>", "软件 包"},
		{"Korean", "<p>패키지\n관리</p>", "패키지 관리"},
		{"Thai", "<p>ภาษา\nไทย</p>", "ภาษา ไทย"},
		{"English", "<p>a\nb</p>", "a b"},
	} {
		if got := contentOf(t, "text/html; charset=utf-8", "<body>"+tt.html).Body; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

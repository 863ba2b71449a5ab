package lint

import (
	"slices"
	"strings"
)

// Field names of robots.txt files, as they are best written.
const (
	fieldAgent    = "User-agent"
	fieldAllow    = "Allow"
	fieldDisallow = "Disallow"
)

// fields are the names that some robot reads, or a standard knows.
var fields = [...]string{
	fieldAgent, fieldDisallow, fieldAllow, "Sitemap", "Crawl-delay", "Request-rate", "Visit-time", "Cache-delay", "Clean-param",
	"Content-Signal", "Content-Usage", "License", "Host", "Comment", "Robot-version",
}

// knownField returns the field that key is or, by at most two slips of the pen, was meant to be.
func knownField(key string) (field string) {
	key = strings.ToLower(visible(key))
	for _, f := range fields {
		if len(key) == len(f) && strings.EqualFold(key, f) { // of other length, EqualFold folds characters beyond ASCII
			return f
		}
	}
	if key == "index" || key == "follow" {
		return ""
	}
	best := 3
	for _, f := range fields {
		if max(len(key), len(f))-min(len(key), len(f)) >= best {
			continue
		}
		if d := slips(key, strings.ToLower(f)); d < best && d <= len(f)/3 {
			field, best = f, d
		}
	}
	return field
}

// separated takes a line apart that has "=" or ";" where the colon belongs, or the blank that should follow it. ok is false when
// what stands before is no field.
func separated(code string) (field, value string, ok bool) {
	i := strings.IndexAny(code, "=;")
	if i < 0 {
		return "", "", false
	}
	field = knownField(strings.TrimSpace(code[:i]))
	return field, strings.TrimSpace(code[i+1:]), field != ""
}

// beginsWithField reports whether the first word of a line that is no field is nearly the name of one: it may be a rule that its
// author believes to be in force.
func beginsWithField(code string) bool {
	word := code[:tokenLen(code)]
	field := knownField(word)
	return field != "" || strings.HasPrefix(strings.ToLower(word), "disal") || strings.HasPrefix(strings.ToLower(word), "user")
}

// slips counts the insertions, deletions, substitutions and swaps of neighbours that turn a into b; it gives up at 3.
func slips(a, b string) int {
	if len(a) > len(b)+2 || len(b) > len(a)+2 {
		return 3
	}
	var room [3][32]int
	before, last, row := room[0][:], room[1][:], room[2][:]
	if len(b) >= len(room[0]) {
		before, last, row = make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	}
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// translations of field names, as translators and machines put them.
var translations = map[string][]string{
	fieldDisallow: {
		"запрещать", "запретить", "запрещено", "запрет", "не разрешать", "не позволять", "отклонять", "заборонити", "no permitir",
		"no permitido", "prohibir", "desautorizar", "rechazar", "denegar", "proibir", "não permitir", "negar", "interdire",
		"refuser", "ne pas autoriser", "verbieten", "nicht zulassen", "nicht erlauben", "non consentire", "vietare",
		"niet toestaan", "weigeren", "zakázat", "zabroń", "nie zezwalaj", "izin verme", "ไม่อนุญาต", "不允许", "禁止", "不允許", "不許可",
		"許可しない", "허용하지 않음", "zapreshchat", "zapretit",
	},
	fieldAgent: {
		"агент пользователя", "пользовательский агент", "агент-пользователь", "пользователь-агент", "юзер-агент",
		"агент користувача", "agente de usuario", "agente-usuario", "agente de utilizador", "agente do usuário",
		"agent utilisateur", "agent-utilisateur", "benutzeragent", "benutzer-agent", "agente utente", "gebruikersagent",
		"kullanıcı aracısı", "ตัวแทนผู้ใช้", "ผู้ใช้ตัวแทน", "ผู้ใช้", "用户代理", "使用者代理", "ユーザーエージェント", "사용자 에이전트",
	},
	fieldAllow: {
		"разрешить", "разрешать", "позволять", "permitir", "autoriser", "autorisieren", "erlauben", "zulassen", "consentire",
		"toestaan", "povolit", "zezwalaj", "izin ver", "อนุญาต", "允许", "允許", "許可", "허용",
	},
}

// translation returns the field whose name was translated to key; empty when none is known.
func translation(key string) string {
	key = strings.ToLower(strings.Join(strings.Fields(key), " "))
	for _, field := range [...]string{fieldDisallow, fieldAgent, fieldAllow} {
		if slices.Contains(translations[field], key) {
			return field
		}
	}
	return ""
}

// colonless returns the field that key begins with when a blank follows it, as in "Disallow https"; empty when none does.
func colonless(key string) string {
	first, rest, _ := strings.Cut(strings.ReplaceAll(key, "\t", " "), " ")
	if rest == "" {
		return ""
	}
	for _, f := range [...]string{fieldAgent, fieldDisallow, fieldAllow, "Sitemap", "Crawl-delay"} {
		if strings.EqualFold(first, f) {
			return f
		}
	}
	return ""
}

package translate

import "golang.org/x/text/feature/plural"

var thaiPlurals = plurals{
	"%d sites": {plural.Other, "%d เว็บไซต์"},
}

var thai = map[string]string{
	"en":                            "th",
	"%s: about this crawler":        "%s: เกี่ยวกับโปรแกรมรวบรวมข้อมูลนี้",
	"Name in robots.txt":            "ชื่อในไฟล์ robots.txt",
	"Purpose":                       "วัตถุประสงค์",
	"Contact":                       "ติดต่อ",
	"Comes from":                    "มาจากที่อยู่",
	"Keep it out":                   "วิธีห้ามไม่ให้เข้า",
	"Slow it down":                  "วิธีทำให้ช้าลง",
	"What it does":                  "สิ่งที่โปรแกรมทำ",
	"The key of its operator":       "กุญแจของผู้ดำเนินการ",
	"Verifier":                      "กุญแจตรวจสอบ",
	"Fingerprint":                   "ลายนิ้วมือของกุญแจ",
	"Place to discuss it in public": "ที่สำหรับพูดคุยเรื่องนี้อย่างเปิดเผย",
	"Was it really this crawler?":   "เป็นโปรแกรมนี้จริงหรือไม่",
	"Anybody can send this name.":   "ใครก็ส่งชื่อนี้ได้",
	"If you found this name in the log of your web server, this page says what it is, and how to keep it " +
		"out.": "" +
		"หากคุณพบชื่อนี้ในบันทึกของเว็บเซิร์ฟเวอร์ หน้านี้อธิบายว่าคืออะไร และจะห้ามไม่ให้เข้าได้อย่างไร",
	"Put this into %s at the top of your site. It is read again within a day.": "" +
		"ใส่ข้อความนี้ใน %s ที่ระดับบนสุดของเว็บไซต์ ไฟล์จะถูกอ่านใหม่ภายในหนึ่งวัน",
	"Single pages: %s, or the header %s.": "" +
		"สำหรับบางหน้า: %s หรือส่วนหัว %s",
	"Or write to the contact: an operator puts your host, your domain or your addresses on a list, and " +
		"within seconds nothing more is asked of them, robots.txt included.": "" +
		"หรือเขียนถึงผู้ติดต่อ: ผู้ดำเนินการจะใส่โฮสต์ โดเมน หรือที่อยู่ของคุณไว้ในรายการ " +
		"และภายในไม่กี่วินาทีจะไม่มีคำขอใดไปถึงอีก รวมทั้ง robots.txt",
	"The number is the least number of seconds between two requests. Status 429 or 503 with %s makes the " +
		"whole host rest.": "" +
		"ตัวเลขคือจำนวนวินาทีอย่างน้อยระหว่างสองคำขอ สถานะ 429 หรือ 503 พร้อม %s ทำให้หยุดพักทั้งโฮสต์",
	"It reads robots.txt before anything else (RFC 9309). While that cannot be fetched, it requests " +
		"nothing else.": "" +
		"อ่าน robots.txt ก่อนสิ่งอื่น (RFC 9309) ตราบใดที่ยังอ่านไม่ได้ จะไม่ขอสิ่งอื่นใด",
	"It makes one request at a time to a host, and unless the host is its operator's own, at least %s " +
		"pass between the end of one and the start of the next; more if you answer slowly.": "" +
		"ส่งคำขอถึงโฮสต์หนึ่งครั้งละหนึ่งคำขอ และเว้นแต่โฮสต์จะเป็นของผู้ดำเนินการเอง จะเว้นอย่างน้อย %s " +
		"ระหว่างจบคำขอหนึ่งกับเริ่มคำขอถัดไป และเว้นนานขึ้นหากเซิร์ฟเวอร์ตอบช้า",
	"It sends GET only, no forms, and cookies or credentials to no host but one that gave them to its " +
		"operator; it follows no link that looks like an action.": "" +
		"ส่งเฉพาะ GET ไม่ส่งแบบฟอร์ม และไม่ส่งคุกกี้หรือข้อมูลรับรองไปยังโฮสต์อื่นนอกจากโฮสต์ที่มอบให้ผู้ดำเน" +
		"ินการ ไม่ตามลิงก์ที่ดูเหมือนเป็นการกระทำ",
	"It keeps pages as they were sent. It runs no scripts and renders nothing.": "" +
		"เก็บหน้าเว็บตามที่ส่งมา ไม่เรียกใช้สคริปต์และไม่แสดงผลหน้า",
	"Every request is in a ledger, with the line of your robots.txt under which it was made. Ask for " +
		"yours: its operator can send you a bundle that %s judges, also against your own log.": "" +
		"ทุกคำขออยู่ในบัญชีบันทึก พร้อมบรรทัดของ robots.txt ของคุณที่อนุญาต ขอส่วนของคุณได้: " +
		"ผู้ดำเนินการส่งชุดข้อมูลที่ %s ตรวจสอบได้ รวมทั้งเทียบกับบันทึกของคุณเอง",
	"Requests that do not come from the addresses above are not ours.": "" +
		"คำขอที่ไม่ได้มาจากที่อยู่ข้างต้นไม่ใช่ของเรา",
	"Every request is signed (HTTP Message Signatures, RFC 9421; Web Bot Auth) with the key %s, so a " +
		"request without that signature is not ours.": "" +
		"ทุกคำขอลงลายมือชื่อ (HTTP Message Signatures, RFC 9421; Web Bot Auth) ด้วยกุญแจ %s " +
		"คำขอที่ไม่มีลายมือชื่อนั้นจึงไม่ใช่ของเรา",
	"The key is published at %s.": "กุญแจเผยแพร่ไว้ที่ %s",
	"Send the lines of your log to the contact: the ledger says whether they are ours, and %s says how " +
		"any crawler behaved.": "" +
		"ส่งบรรทัดจากบันทึกของคุณถึงผู้ติดต่อ: บัญชีบันทึกบอกได้ว่าเป็นของเราหรือไม่ และ %s " +
		"บอกว่าโปรแกรมรวบรวมข้อมูลใดประพฤติอย่างไร",
	"The ledger is signed with this key, so that it cannot be rewritten without a trace. %s of that " +
		"command demands it.": "" +
		"บัญชีบันทึกลงลายมือชื่อด้วยกุญแจนี้ จึงเขียนใหม่โดยไม่ทิ้งร่องรอยไม่ได้ %s " +
		"ของคำสั่งนั้นบังคับให้มีลายมือชื่อนี้",
	"done, but for what is parked":   "เสร็จแล้ว ยกเว้นส่วนที่พักไว้",
	"done: nothing is left to fetch": "เสร็จแล้ว: ไม่เหลือสิ่งที่ต้องดึง",
	"some hosts must wait; run the same command again later to continue": "" +
		"บางโฮสต์ต้องรอ เรียกคำสั่งเดิมอีกครั้งภายหลังเพื่อทำต่อ",
	"interrupted; run the same command again to continue": "" +
		"ถูกขัดจังหวะ เรียกคำสั่งเดิมอีกครั้งเพื่อทำต่อ",
	"failed: %s":              "ล้มเหลว: %s",
	"the limit %s is reached": "ถึงขีดจำกัด %s แล้ว",
	"%s, after %s":            "%s หลังจาก %s",
	"killed or crashed after %s; run the same command again to continue": "" +
		"หยุดกะทันหันหลังจาก %s เรียกคำสั่งเดิมอีกครั้งเพื่อทำต่อ",
}

package io.statestore.protocol;

import java.util.ArrayList;
import java.util.List;

/** Replies as bytes (protocol sections 2, 3 and 9). */
public final class Replies {

	private Replies() {
	}

	/** The payload of a reply, as official clients expect it. */
	public static byte[] encode(Reply reply) {
		return encode(reply, WireForm.PRACTICE);
	}

	/** The payload of a reply in one of the two forms. */
	public static byte[] encode(Reply reply, WireForm form) {
		boolean articles = form == WireForm.ARTICLES;
		if (reply instanceof Reply.Ok) {
			return RespWriter.line("+OK");
		}
		if (reply instanceof Reply.Value value) {
			return RespWriter.bulk(value.value());
		}
		if (reply instanceof Reply.Missing) {
			return RespWriter.line("$-1");
		}
		if (reply instanceof Reply.Count count) {
			return RespWriter.line(((articles && count.number() < 0) ? "" : ":") + count.number());
		}
		if (reply instanceof Reply.Error error) {
			return RespWriter.line("-ERR " + error.text());
		}
		Reply.Page page = (Reply.Page) reply;
		return RespWriter.nestedArray(page.keys(), (page.token() == null) ? List.of() : List.of(page.token()));
	}

	/**
	 * Read the payload of a reply, in either form.
	 * @throws ProtocolException if it is neither
	 */
	public static Reply decode(Bytes payload) {
		RespReader reader = new RespReader(payload);
		return switch (reader.peek()) {
			case '$' -> decodeBulk(reader, payload);
			case '*' -> decodePage(reader);
			case '+', ':', '-' -> decodeLine(reader.readRest());
			default -> throw malformed();
		};
	}

	private static Reply decodeBulk(RespReader reader, Bytes payload) {
		if (payload.equals(NULL_BULK)) {
			return new Reply.Missing();
		}
		Bytes value = reader.readUnterminatedBulk();
		if (!reader.atEnd()) {
			reader.readLineEnd();
		}
		reader.readEnd();
		return new Reply.Value(value);
	}

	private static final Bytes NULL_BULK = RespReader.ascii("$-1\r\n");

	private static Reply decodePage(RespReader reader) {
		int count = reader.readArrayHeader();
		if (count < 1 || count > 2) {
			throw malformed();
		}
		int keyCount = reader.readArrayHeader();
		List<Bytes> keys = new ArrayList<>();
		for (int i = 0; i < keyCount; i++) {
			keys.add(reader.readBulk());
		}
		Bytes token = (count == 2) ? reader.readBulk() : null;
		reader.readEnd();
		return new Reply.Page(keys, token);
	}

	private static Reply decodeLine(String line) {
		boolean terminated = line.endsWith("\r\n");
		String content = terminated ? line.substring(0, line.length() - 2) : line;
		if (content.startsWith("-ERR")) {
			return decodeError(content.substring(4));
		}
		if (!terminated) {
			throw malformed();
		}
		return switch (content) {
			case "+OK" -> new Reply.Ok();
			case "-1", ":-1" -> Reply.Count.NOT_APPLIED;
			default -> decodeCount(content);
		};
	}

	private static Reply decodeError(String rest) {
		if (!rest.startsWith(" ") && !rest.startsWith(": ")) {
			throw malformed();
		}
		String text = rest.substring(rest.indexOf(' ') + 1);
		return new Reply.Error(ErrorReason.of(text), text);
	}

	private static Reply decodeCount(String content) {
		if (!content.startsWith(":")) {
			throw malformed();
		}
		return new Reply.Count(RespReader.parseNumber(Bytes.of(content.substring(1))));
	}

	private static ProtocolException malformed() {
		return new ProtocolException(ErrorReason.SYNTAX_ERROR, "The reply is not one of the state store protocol");
	}

}

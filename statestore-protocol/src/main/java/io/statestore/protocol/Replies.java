package io.statestore.protocol;

import java.util.ArrayList;
import java.util.List;

/** Encodes and decodes replies (protocol sections 2, 3, and 9). */
public final class Replies {

	private static final Bytes OK = RespReader.ascii("+OK\r\n");

	private static final Bytes NULL_BULK = RespReader.ascii("$-1\r\n");

	private static final Bytes NOT_APPLIED_IN_SPECIFICATION = RespReader.ascii("-1\r\n");

	private static final Bytes ERROR = RespReader.ascii("-ERR ");

	private static final Bytes ERROR_WITH_COLON = RespReader.ascii("-ERR: ");

	private Replies() {
	}

	/**
	 * Encodes a reply in the format that deployed clients expect.
	 * @param reply the reply to encode
	 * @return the payload of the message
	 */
	public static byte[] encode(Reply reply) {
		return encode(reply, ProtocolDialect.CLIENTS);
	}

	/**
	 * Encodes a reply in either protocol dialect.
	 * @param reply the reply to encode
	 * @param form the protocol dialect
	 * @return the payload of the message
	 */
	public static byte[] encode(Reply reply, ProtocolDialect form) {
		boolean articles = form == ProtocolDialect.SPECIFICATION;
		if (reply instanceof Reply.Ok) {
			return OK.toArray();
		}
		if (reply instanceof Reply.Value value) {
			return RespWriter.bulk(value.value());
		}
		if (reply instanceof Reply.Missing) {
			return NULL_BULK.toArray();
		}
		if (reply instanceof Reply.Count count) {
			return RespWriter
				.text(((articles && count.equals(Reply.Count.NOT_APPLIED)) ? "" : ":") + count.number() + "\r\n");
		}
		if (reply instanceof Reply.Error error) {
			return RespWriter.text("-ERR " + error.text() + (articles ? "" : "\r\n"));
		}
		Reply.Page page = (Reply.Page) reply;
		return RespWriter.nestedArray(page.keys(), (page.token() == null) ? List.of() : List.of(page.token()));
	}

	/**
	 * Encodes the reply to a request. In the articles, errors for KEYNOTIFY differ from
	 * those for other commands.
	 * @param reply the reply to encode
	 * @param request the payload of the request
	 * @param form the protocol dialect
	 * @return the payload of the message
	 */
	public static byte[] encode(Reply reply, Bytes request, ProtocolDialect form) {
		if (form == ProtocolDialect.SPECIFICATION && reply instanceof Reply.Error error
				&& Commands.isKeyNotify(request)) {
			return RespWriter.text("-ERR: " + error.text() + "\r\n");
		}
		return encode(reply, form);
	}

	/**
	 * Decodes a reply in either protocol dialect. Keys and values are slices of the
	 * payload, see {@link Bytes#compact()}.
	 * @param payload the payload of the message
	 * @return the reply
	 * @throws ProtocolException if the payload is not a reply
	 */
	public static Reply decode(Bytes payload) {
		if (payload.equals(OK)) {
			return new Reply.Ok();
		}
		if (payload.equals(NULL_BULK)) {
			return new Reply.Missing();
		}
		if (payload.equals(NOT_APPLIED_IN_SPECIFICATION)) {
			return Reply.Count.NOT_APPLIED;
		}
		RespReader reader = new RespReader(payload);
		return switch (reader.peek()) {
			case '$' -> decodeBulk(reader);
			case '*' -> decodePage(reader);
			case ':' -> decodeCount(reader);
			case '-' -> decodeError(payload);
			default -> throw malformed();
		};
	}

	/**
	 * Decodes a bulk string. The final line end may be missing, as in a template in the
	 * articles.
	 */
	private static Reply decodeBulk(RespReader reader) {
		Bytes value = reader.readUnterminatedBulk();
		if (!reader.atEnd()) {
			reader.readLineEnd();
		}
		reader.readEnd();
		return new Reply.Value(value);
	}

	private static Reply decodePage(RespReader reader) {
		int count = reader.readArrayHeader();
		if (count < 1 || count > 2) {
			throw malformed();
		}
		int keyCount = reader.readBulkArrayHeader();
		List<Bytes> keys = new ArrayList<>(keyCount);
		for (int i = 0; i < keyCount; i++) {
			keys.add(reader.readBulk());
		}
		Bytes token = (count == 2) ? reader.readBulk() : null;
		reader.readEnd();
		return new Reply.Page(keys, token);
	}

	private static Reply decodeCount(RespReader reader) {
		long number = reader.readInteger();
		reader.readEnd();
		return new Reply.Count(number);
	}

	/** Decodes an error. The colon after {@code -ERR} and the line end are optional. */
	private static Reply decodeError(Bytes payload) {
		Bytes prefix = startsWith(payload, ERROR) ? ERROR : ERROR_WITH_COLON;
		if (!startsWith(payload, prefix)) {
			throw malformed();
		}
		int start = prefix.length();
		int end = payload.length();
		if (end - start >= 2 && payload.at(end - 2) == '\r' && payload.at(end - 1) == '\n') {
			end -= 2;
		}
		for (int i = start; i < end; i++) {
			if (payload.at(i) == '\r' || payload.at(i) == '\n') {
				throw malformed();
			}
		}
		String text = payload.slice(start, end).toUtf8();
		return new Reply.Error(ErrorReason.of(text), text);
	}

	private static boolean startsWith(Bytes payload, Bytes start) {
		return payload.length() >= start.length() && payload.slice(0, start.length()).equals(start);
	}

	private static ProtocolException malformed() {
		return new ProtocolException(ErrorReason.SYNTAX_ERROR, "The reply is not one of the state store protocol");
	}

}

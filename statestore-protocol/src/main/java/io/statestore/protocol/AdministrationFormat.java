package io.statestore.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/** What the payloads of all administration requests and answers consist of. */
final class AdministrationFormat {

	static final Bytes TOKEN = RespReader.ascii("TOKEN");

	private AdministrationFormat() {
	}

	static byte[] array(List<Bytes> elements) {
		return RespWriter.array(elements.toArray(Bytes[]::new));
	}

	/** Returns a request for the page behind a token, {@code null} for the first one. */
	static byte[] query(Bytes command, @Nullable String token) {
		return array((token != null) ? List.of(command, TOKEN, Bytes.of(token)) : List.of(command));
	}

	/** Returns the token of such a request. */
	static @Nullable String token(List<Bytes> query) {
		if (query.size() == 1) {
			return null;
		}
		if (query.size() != 3 || !query.get(1).equals(TOKEN)) {
			throw RespReader.syntaxError();
		}
		return text(query.get(2));
	}

	/** Reads an array of bulk strings. */
	static List<Bytes> elements(Bytes payload, int max) {
		RespReader reader = new RespReader(payload);
		int count = reader.readBulkArrayHeader();
		if (count > max) {
			throw new ProtocolException(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS);
		}
		List<Bytes> elements = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			elements.add(reader.readBulk());
		}
		reader.readEnd();
		return elements;
	}

	/** Reads a text, which must be valid UTF-8. */
	static String text(Bytes encoded) {
		String text = encoded.toUtf8();
		if (!Bytes.of(text).equals(encoded)) {
			throw RespReader.syntaxError();
		}
		return text;
	}

	static long number(Bytes digits) {
		RespReader reader = new RespReader(digits);
		long number = reader.readNumber();
		reader.readEnd();
		return number;
	}

	/** Returns an answer in the form of the reply to a SCAN. */
	static <T> byte[] page(List<T> elements, Function<T, byte[]> encoder, @Nullable Bytes token) {
		return Replies
			.encode(new Reply.Page(elements.stream().map((each) -> Bytes.wrap(encoder.apply(each))).toList(), token));
	}

	/** Decodes such an answer. Throws an exception for an error answer. */
	static Reply.Page decodePage(Bytes payload) {
		if (!(decodeReply(payload) instanceof Reply.Page page)) {
			throw RespReader.syntaxError();
		}
		return page;
	}

	/** Decodes an answer. Throws an exception for an error answer. */
	static Reply decodeReply(Bytes payload) {
		Reply reply = Replies.decode(payload);
		if (reply instanceof Reply.Error error) {
			throw new ProtocolException(error.reason(), error.text());
		}
		return reply;
	}

}

package io.statestore.broker.engine;

import io.statestore.broker.codec.Decoder;
import io.statestore.broker.codec.Encoder;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;

/** Encodes and decodes answers to writes, which take only a few forms. */
final class AnswerCodec {

	private static final int OK = 1;

	private static final int COUNT = 2;

	private static final int ERROR = 3;

	private static final int VERSIONED = 1 << 7;

	private AnswerCodec() {
	}

	static void encode(Answer answer, Encoder encoder) {
		Version version = answer.version();
		int versioned = (version != null) ? VERSIONED : 0;
		if (answer.reply() instanceof Reply.Ok) {
			encoder.writeByte(OK | versioned);
		}
		else if (answer.reply() instanceof Reply.Count count) {
			encoder.writeByte(COUNT | versioned).writeNumber(count.number());
		}
		else if (answer.reply() instanceof Reply.Error error) {
			encoder.writeByte(ERROR | versioned).writeString(error.text());
		}
		else {
			throw new IllegalArgumentException("Not an answer to a write: " + answer);
		}
		if (version != null) {
			encoder.writeNumber(version.wallMillis()).writeNumber(version.counter());
		}
	}

	static Answer decode(Decoder decoder) {
		int form = decoder.readByte();
		Reply reply = switch (form & ~VERSIONED) {
			case OK -> Answer.OK.reply();
			case COUNT -> new Reply.Count(decoder.readNumber());
			case ERROR -> error(decoder);
			default -> throw decoder.malformed("an answer has form " + form);
		};
		return new Answer(reply, ((form & VERSIONED) != 0) ? decoder.readVersionOf(VersionClock.NODE_ID) : null);
	}

	private static Reply error(Decoder decoder) {
		String text = decoder.readString();
		try {
			return new Reply.Error(ErrorReason.of(text), text);
		}
		catch (IllegalArgumentException ex) {
			throw decoder.malformed("the text of an error is not one line");
		}
	}

}

package io.statestore.dafka.reading.internal;

import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Decoder of messages. Accepts only commands of version 1 with exact lengths. Never
 * throws an exception for malformed bytes. Internal: not part of the API.
 */
public final class Decoder {

	private Decoder() {
	}

	/**
	 * Decodes a message.
	 * @param header first frame
	 * @param content second frame, or {@code null} if there is none
	 * @return the command, or {@code null} if the message is malformed
	 */
	public static @Nullable Command decode(byte[] header, byte @Nullable [] content) {
		FieldReader in = new FieldReader(header);
		int id = in.u8();
		boolean carriesContent = id == Ids.RECORD || id == Ids.DIRECT_RECORD;
		if (carriesContent != (content != null)) {
			return null;
		}
		Bytes topic = in.untilNul();
		in.require(in.u8() == Ids.VERSION);
		Command command = fields(in, id, topic, (content != null) ? Bytes.wrap(content) : Bytes.EMPTY);
		return in.isCompleteAndValid() ? command : null;
	}

	private static @Nullable Command fields(FieldReader in, int id, Bytes topic, Bytes content) {
		return switch (id) {
			case Ids.RECORD -> new Command.Record(in.string(), in.same(topic), in.sequence(), content);
			case Ids.DIRECT_RECORD -> new Command.DirectRecord(topic, in.string(), in.string(), in.sequence(), content);
			case Ids.FETCH -> new Command.Fetch(topic, in.string(), in.string(), in.sequence(), in.u32());
			case Ids.ACK -> ack(in, topic);
			case Ids.HEAD -> new Command.Head(in.string(), in.same(topic), in.sequence());
			case Ids.DIRECT_HEAD -> new Command.DirectHead(topic, in.string(), in.string(), in.sequence());
			case Ids.END_OF_HEADS -> new Command.EndOfHeads(topic, in.string(), in.string(), in.sequence());
			case Ids.GET_HEADS -> new Command.GetHeads(topic, in.string());
			case Ids.CONSUMER_HELLO -> new Command.ConsumerHello(topic, in.string(), topics(in));
			case Ids.STORE_HELLO -> new Command.StoreHello(topic, in.string());
			default -> null;
		};
	}

	/**
	 * Decodes an ACK. The grammar of RFC 46 includes the address of the store, but the
	 * reference implementation omits it.
	 */
	private static Command ack(FieldReader in, Bytes topic) {
		Bytes first = in.string();
		Bytes subject = (in.remaining() == Long.BYTES) ? first : in.string();
		return new Command.Ack(topic, subject, in.sequence());
	}

	private static List<Bytes> topics(FieldReader in) {
		long count = in.u32();
		List<Bytes> topics = new ArrayList<>();
		for (long i = 0; i < count && in.isValid(); i++) {
			topics.add(in.longString());
		}
		return topics;
	}

}

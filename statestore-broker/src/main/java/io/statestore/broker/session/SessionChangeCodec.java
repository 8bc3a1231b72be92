package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.statestore.broker.codec.Decoder;
import io.statestore.broker.codec.Encoder;
import io.statestore.broker.session.SessionChange.Acknowledge;
import io.statestore.broker.session.SessionChange.Connect;
import io.statestore.broker.session.SessionChange.Disconnect;
import io.statestore.broker.session.SessionChange.End;
import io.statestore.broker.session.SessionChange.Expire;
import io.statestore.broker.session.SessionChange.Publish;
import io.statestore.broker.session.SessionChange.Release;
import io.statestore.broker.session.SessionChange.Subscribe;
import io.statestore.broker.session.SessionChange.Unsubscribe;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes session changes for the log.
 * <p>
 * Internal: not part of the API.
 */
public final class SessionChangeCodec {

	private static final int CONNECT = 1;

	private static final int DISCONNECT = 2;

	private static final int SUBSCRIBE = 3;

	private static final int UNSUBSCRIBE = 4;

	private static final int PUBLISH = 5;

	private static final int RELEASE = 6;

	private static final int ACKNOWLEDGE = 7;

	private static final int EXPIRE = 8;

	private static final int END = 9;

	private static final int CLEAN_START = 1;

	private static final int WILL = 1 << 1;

	private static final int KEEPS_WILL = 1 << 2;

	private SessionChangeCodec() {
	}

	/**
	 * Writes a change.
	 * @param change the change to encode
	 * @param encoder receives the bytes
	 */
	public static void encode(SessionChange change, Encoder encoder) {
		if (change instanceof Publish publish) {
			encoder.writeByte(PUBLISH).writeNumber(publish.packetId());
			if (publish.packetId() != 0) {
				encoder.writeNumber(publish.connection());
			}
			encoder.writeNumber(publish.members().size());
			publish.members().forEach((filter, clientId) -> encoder.writeString(filter).writeString(clientId));
			publish.message().encode(encoder);
			if (publish.message().retain()) {
				encoder.writeString(publish.principal());
			}
		}
		else if (change instanceof Acknowledge acknowledge) {
			encoder.writeByte(ACKNOWLEDGE)
				.writeString(acknowledge.clientId())
				.writeNumber(acknowledge.connection())
				.writeByte(acknowledge.received() ? 1 : 0)
				.writeNumber(acknowledge.numbers().length);
			long last = 0;
			for (long number : acknowledge.numbers()) {
				// Encoded as differences, with the sign in the last bit.
				encoder.writeNumber((number - last) << 1 ^ (number - last) >> Long.SIZE - 1);
				last = number;
			}
		}
		else if (change instanceof Connect connect) {
			Will will = connect.will();
			encoder.writeByte(CONNECT)
				.writeString(connect.clientId())
				.writeString(connect.principal())
				.writeByte((connect.cleanStart() ? CLEAN_START : 0) | ((will != null) ? WILL : 0)
						| (connect.keepsWill() ? KEEPS_WILL : 0))
				.writeNumber(connect.expirySeconds());
			if (will != null) {
				encode(will, encoder);
			}
		}
		else if (change instanceof Disconnect disconnect) {
			encoder.writeByte(DISCONNECT)
				.writeString(disconnect.clientId())
				.writeNumber(disconnect.connection())
				.writeNumber(disconnect.expirySeconds())
				.writeByte(disconnect.keepsWill() ? 1 : 0);
		}
		else if (change instanceof Subscribe subscribe) {
			encoder.writeByte(SUBSCRIBE)
				.writeString(subscribe.clientId())
				.writeNumber(subscribe.connection())
				.writeNumber(subscribe.subscriptions().size());
			subscribe.subscriptions().forEach((subscription) -> subscription.encode(encoder));
		}
		else if (change instanceof Unsubscribe unsubscribe) {
			encoder.writeByte(UNSUBSCRIBE).writeString(unsubscribe.clientId()).writeNumber(unsubscribe.connection());
			encodeStrings(unsubscribe.filters(), encoder);
		}
		else if (change instanceof Release release) {
			encoder.writeByte(RELEASE)
				.writeString(release.clientId())
				.writeNumber(release.connection())
				.writeNumber(release.packetId());
		}
		else if (change instanceof End end) {
			encoder.writeByte(END).writeString(end.clientId()).writeByte(end.keepsWill() ? 1 : 0);
		}
		else if (change instanceof Expire expire) {
			encodeStrings(expire.denied(), encoder.writeByte(EXPIRE).writeLong(expire.until()));
		}
	}

	private static void encodeStrings(List<String> strings, Encoder encoder) {
		encoder.writeNumber(strings.size());
		strings.forEach(encoder::writeString);
	}

	static void encode(Will will, Encoder encoder) {
		will.message().encode(encoder.writeNumber(will.delaySeconds()).writeNumber(will.expirySeconds() + 1));
	}

	/**
	 * Reads a change.
	 * @param decoder the input, positioned at a change
	 * @return the change
	 */
	public static SessionChange decode(Decoder decoder) {
		int type = decoder.readByte();
		return switch (type) {
			case PUBLISH -> {
				int packetId = decoder.readInt(0xFFFF);
				long connection = (packetId != 0) ? decoder.readNumber() : 0;
				Map<String, String> members = new TreeMap<>();
				for (int rest = decoder.readInt(Integer.MAX_VALUE); rest > 0; rest--) {
					members.put(decoder.readString(), decoder.readString());
				}
				Message message = Message.decode(decoder);
				yield new Publish(message, message.retain() ? decoder.readString() : "", connection, packetId, members,
						false, 0);
			}
			case ACKNOWLEDGE -> new Acknowledge(decoder.readString(), decoder.readNumber(), decoder.readByte() == 1,
					decodeNumbers(decoder));
			case CONNECT -> {
				String clientId = decoder.readString();
				String principal = decoder.readString();
				int flags = decoder.readByte();
				yield new Connect(clientId, principal, (flags & CLEAN_START) != 0, decodeInterval(decoder),
						decodeWill(decoder, (flags & WILL) != 0), (flags & KEEPS_WILL) != 0);
			}
			case DISCONNECT -> new Disconnect(decoder.readString(), decoder.readNumber(), decodeInterval(decoder),
					decoder.readByte() == 1);
			case SUBSCRIBE -> new Subscribe(decoder.readString(), decoder.readNumber(),
					decodeList(decoder, () -> Subscription.decode(decoder)));
			case UNSUBSCRIBE ->
				new Unsubscribe(decoder.readString(), decoder.readNumber(), decodeList(decoder, decoder::readString));
			case RELEASE -> new Release(decoder.readString(), decoder.readNumber(), decoder.readInt(0xFFFF));
			case EXPIRE -> new Expire(decoder.readLong(), decodeList(decoder, decoder::readString));
			case END -> new End(decoder.readString(), decoder.readByte() == 1);
			default -> throw decoder.malformed("the type of a change of sessions is " + type);
		};
	}

	private static long[] decodeNumbers(Decoder decoder) {
		List<Long> differences = decodeList(decoder, decoder::readNumber);
		long[] numbers = new long[differences.size()];
		long last = 0;
		for (int i = 0; i < numbers.length; i++) {
			long difference = differences.get(i);
			last += difference >>> 1 ^ -(difference & 1);
			numbers[i] = last;
		}
		return numbers;
	}

	/** Reads an MQTT interval in seconds. */
	static long decodeInterval(Decoder decoder) {
		long seconds = decoder.readNumber();
		if (seconds < 0 || seconds > Sessions.NO_EXPIRY) {
			throw decoder.malformed("an interval is out of range");
		}
		return seconds;
	}

	static @Nullable Will decodeWill(Decoder decoder, boolean present) {
		if (!present) {
			return null;
		}
		long delaySeconds = decodeInterval(decoder);
		long expirySeconds = decoder.readNumber() - 1;
		if (expirySeconds < -1 || expirySeconds > Sessions.NO_EXPIRY) {
			throw decoder.malformed("the expiry of a will is out of range");
		}
		return new Will(Message.decode(decoder), delaySeconds, expirySeconds);
	}

	static <T> List<T> decodeList(Decoder decoder, Supplier<T> element) {
		int count = decoder.readInt(Integer.MAX_VALUE);
		List<T> list = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			list.add(element.get());
		}
		return list;
	}

}

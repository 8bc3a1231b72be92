package io.statestore.broker.session;

import io.statestore.broker.codec.Decoder;
import io.statestore.broker.codec.Encoder;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;

/**
 * An application message (MQTT 5 section 3.3), shared by all sessions that receive it.
 * Immutable.
 * <p>
 * Internal: not part of the API.
 *
 * @param topic topic name
 * @param properties the properties that are forwarded unchanged, as in a PUBLISH
 * @param payload the payload, which must not be changed
 * @param qos QoS level, 0 to 2
 * @param retain whether to retain the message
 * @param expiry log time in nanoseconds at which the message expires, {@link #NEVER} if
 * it does not expire
 * @param publisher the publisher's client id, for No Local
 */
public record Message(String topic, byte[] properties, byte[] payload, int qos, boolean retain, long expiry,
		String publisher) {

	/** Expiry of a message that does not expire. */
	public static final long NEVER = Long.MAX_VALUE;

	/** Estimated heap of a message without its content, in bytes. */
	private static final int OVERHEAD = 160;

	private static final int RETAIN = 1 << 2;

	private static final int EXPIRES = 1 << 3;

	/**
	 * Creates a message.
	 * @throws IllegalArgumentException if the QoS or the topic is invalid
	 */
	public Message {
		if (qos < 0 || qos > 2 || Topics.isTooDeep(topic)) {
			throw new IllegalArgumentException("The QoS or the topic of a message is invalid");
		}
	}

	/**
	 * Returns this message's estimated heap.
	 * @return the size in bytes
	 */
	public int cost() {
		return OVERHEAD + this.topic.length() + this.publisher.length() + this.properties.length + this.payload.length;
	}

	/**
	 * Returns whether this message has expired.
	 * @param logTime current log time in nanoseconds
	 * @return whether its expiry has passed
	 */
	public boolean isExpired(long logTime) {
		return this.expiry <= logTime;
	}

	void encode(Encoder encoder) {
		boolean expires = this.expiry != NEVER;
		encoder.writeByte(this.qos | (this.retain ? RETAIN : 0) | (expires ? EXPIRES : 0))
			.writeString(this.topic)
			.writeString(this.publisher)
			.writeBytes(Bytes.wrap(this.properties))
			.writeBytes(Bytes.wrap(this.payload));
		if (expires) {
			encoder.writeNumber(this.expiry);
		}
	}

	static Message decode(Decoder decoder) {
		int flags = decoder.readByte();
		String topic = decoder.readString();
		String publisher = decoder.readString();
		byte[] properties = decoder.readArray();
		byte[] payload = decoder.readArray();
		long expiry = ((flags & EXPIRES) != 0) ? decoder.readNumber() : NEVER;
		try {
			return new Message(topic, properties, payload, flags & 3, (flags & RETAIN) != 0, expiry, publisher);
		}
		catch (IllegalArgumentException ex) {
			throw decoder.malformed("the QoS or topic of a message is invalid");
		}
	}

}

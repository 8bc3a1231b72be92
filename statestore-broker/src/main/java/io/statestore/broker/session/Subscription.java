package io.statestore.broker.session;

import io.statestore.broker.codec.Decoder;
import io.statestore.broker.codec.Encoder;
import io.statestore.protocol.Topics;

/**
 * A subscription with its options (MQTT 5 section 3.8.3.1).
 * <p>
 * Internal: not part of the API.
 *
 * @param filter topic filter, including the group name of a shared subscription
 * @param options the Subscription Options byte, with the granted QoS
 * @param identifier Subscription Identifier, 0 if there is none
 */
public record Subscription(String filter, int options, int identifier) {

	private static final String SHARED = "$share/";

	private static final int NO_LOCAL = 1 << 2;

	private static final int RETAIN_AS_PUBLISHED = 1 << 3;

	private static final int RETAIN_HANDLING = 4;

	/**
	 * Creates a subscription.
	 * @throws IllegalArgumentException if the filter or the options are invalid
	 */
	public Subscription {
		if (filter.startsWith(SHARED) && filter.indexOf('/', SHARED.length()) < 0 || (options & 3) == 3
				|| Topics.isFilterTooDeep(filter)) {
			throw new IllegalArgumentException("A subscription is invalid");
		}
	}

	/**
	 * Returns the maximum QoS.
	 * @return 0 to 2
	 */
	public int qos() {
		return this.options & 3;
	}

	/**
	 * Returns whether a client receives a message. With No Local, it does not receive its
	 * own messages.
	 */
	boolean isReceivedBy(String clientId, Message message) {
		return (this.options & NO_LOCAL) == 0 || !clientId.equals(message.publisher());
	}

	boolean retainsAsPublished() {
		return (this.options & RETAIN_AS_PUBLISHED) != 0;
	}

	/** Returns whether retained messages are sent for this subscription. */
	boolean sendsRetained(boolean isNew) {
		int handling = this.options >> RETAIN_HANDLING & 3;
		return !isShared() && (handling == 0 || handling == 1 && isNew);
	}

	/**
	 * Returns whether this is a shared subscription.
	 * @return whether the members of a group share it
	 */
	public boolean isShared() {
		return this.filter.startsWith(SHARED);
	}

	/** Returns the group name of a shared subscription. */
	String group() {
		return this.filter.substring(SHARED.length(), groupEnd());
	}

	/** Returns the filter without the group name. */
	String topicFilter() {
		return isShared() ? this.filter.substring(groupEnd() + 1) : this.filter;
	}

	private int groupEnd() {
		return this.filter.indexOf('/', SHARED.length());
	}

	void encode(Encoder encoder) {
		encoder.writeString(this.filter).writeByte(this.options).writeNumber(this.identifier);
	}

	static Subscription decode(Decoder decoder) {
		String filter = decoder.readString();
		int options = decoder.readByte();
		int identifier = decoder.readInt(Integer.MAX_VALUE);
		try {
			return new Subscription(filter, options, identifier);
		}
		catch (IllegalArgumentException ex) {
			throw decoder.malformed("a subscription is invalid");
		}
	}

}

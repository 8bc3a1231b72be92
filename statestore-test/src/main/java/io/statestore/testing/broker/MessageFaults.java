package io.statestore.testing.broker;

import java.time.Duration;

import io.statestore.client.Key;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ErrorReason;
import org.jspecify.annotations.Nullable;

/**
 * Faults for one kind of message: requests, replies, or notifications. By default, a
 * fault affects all messages of this kind until closed. {@link #ofClient},
 * {@link #ofKey}, and {@link #next} return narrower selections. Immutable. <pre>{@code
 * faults.replies().ofKey("press-1/setpoint").next(1).drop();
 * }</pre> If several faults select a message, the fault that was injected first affects
 * it. A connection's messages stay in order in each direction, so a delayed message also
 * delays the messages behind it.
 */
public final class MessageFaults {

	private final FaultRules rules;

	private final MessageKind kind;

	/** Selected client; {@code null} for every client. */
	private final @Nullable String clientId;

	/** Selected key; {@code null} for every key. */
	private final @Nullable Bytes key;

	private final int limit;

	MessageFaults(FaultRules rules, MessageKind kind) {
		this(rules, kind, null, null, Integer.MAX_VALUE);
	}

	private MessageFaults(FaultRules rules, MessageKind kind, @Nullable String clientId, @Nullable Bytes key,
			int limit) {
		this.rules = rules;
		this.kind = kind;
		this.clientId = clientId;
		this.key = key;
		this.limit = limit;
	}

	/**
	 * Selects the messages of one client.
	 * @param clientId MQTT client ID; for an application, the value of
	 * {@code statestore.client-id}
	 * @return a narrower selection
	 */
	public MessageFaults ofClient(String clientId) {
		return new MessageFaults(this.rules, this.kind, clientId, this.key, this.limit);
	}

	/**
	 * Selects the messages about one key. Messages about a SCAN have no key.
	 * @param key key in the store
	 * @return a narrower selection
	 */
	public MessageFaults ofKey(String key) {
		return ofKey(Key.of(key));
	}

	/**
	 * Selects the messages about one key. Messages about a SCAN have no key.
	 * @param key key in the store
	 * @return a narrower selection
	 */
	public MessageFaults ofKey(Key key) {
		return new MessageFaults(this.rules, this.kind, this.clientId, key.bytes(), this.limit);
	}

	/**
	 * Selects only the next messages. The fault then ends automatically.
	 * @param count number of messages, at least 1
	 * @return a narrower selection
	 * @throws IllegalArgumentException if the number is less than 1
	 */
	public MessageFaults next(int count) {
		if (count < 1) {
			throw new IllegalArgumentException("'count' must be at least 1, but is " + count);
		}
		return new MessageFaults(this.rules, this.kind, this.clientId, this.key, count);
	}

	/**
	 * Delays messages. With controlled time, the delay passes when the test advances the
	 * time.
	 * @param delay time until a message arrives, not negative
	 * @return the injected fault
	 * @throws IllegalArgumentException if the delay is negative
	 */
	public InjectedFault delay(Duration delay) {
		if (delay.isNegative()) {
			throw new IllegalArgumentException("'delay' must not be negative, but is " + delay);
		}
		return inject(new FaultAction.Delay(delay));
	}

	/**
	 * Drops messages. A dropped request is not executed and has no reply. If a reply is
	 * dropped, its request was executed. In both cases, the client does not know the
	 * outcome once its call times out. After a dropped notification, the watcher receives
	 * the change at its next synchronization.
	 * @return the injected fault
	 */
	public InjectedFault drop() {
		return inject(new FaultAction.Drop());
	}

	/**
	 * Cuts the client's connection instead of delivering the message. The client's call
	 * then immediately fails with an unknown outcome. A cut request is not executed. If a
	 * reply is cut, its request was executed.
	 * @return the injected fault
	 */
	public InjectedFault cut() {
		return inject(new FaultAction.Cut());
	}

	/**
	 * Refuses requests, which then have no effect.
	 * @param reason error that the client receives
	 * @return the injected fault
	 * @throws IllegalStateException if these are not requests
	 */
	public InjectedFault refuse(ErrorReason reason) {
		if (this.kind != MessageKind.REQUEST) {
			throw new IllegalStateException("Only requests can be refused. Call StateStoreFaults.requests() instead of "
					+ this.kind.methodName() + "()");
		}
		return inject(new FaultAction.Refuse(reason));
	}

	private InjectedFault inject(FaultAction action) {
		return this.rules.add(this, action);
	}

	/** Returns the maximum number of messages that a fault affects. */
	int limit() {
		return this.limit;
	}

	/**
	 * Returns whether this selection contains a message, regardless of the limit.
	 * @param key key of the message; {@code null} if it has none
	 */
	boolean contains(MessageKind kind, String clientId, @Nullable Bytes key) {
		return this.kind == kind && (this.clientId == null || this.clientId.equals(clientId))
				&& (this.key == null || this.key.equals(key));
	}

}

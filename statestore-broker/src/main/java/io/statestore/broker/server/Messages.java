package io.statestore.broker.server;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.statestore.broker.engine.Answer;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Notifications;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Topics;
import io.statestore.protocol.TraceContext;
import io.statestore.protocol.UserProperties;
import io.statestore.protocol.Version;
import io.statestore.protocol.ProtocolDialect;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Turns the state machine's results into messages (protocol sections 1 and 6). Used only
 * within the serial executor.
 */
final class Messages {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(Messages.class));

	private static final UserProperty STATUS = new UserProperty(UserProperties.STATUS, UserProperties.STATUS_OK);

	private static final UserProperty PROTOCOL_VERSION = new UserProperty(UserProperties.PROTOCOL_VERSION,
			UserProperties.PROTOCOL_VERSION_1);

	private static final List<UserProperty> WITHOUT_VERSION = List.of(STATUS, PROTOCOL_VERSION);

	private final ProtocolDialect protocolDialect;

	/** The write being applied, {@code null} if there is none. */
	private @Nullable Call write;

	Messages(ProtocolDialect protocolDialect) {
		this.protocolDialect = protocolDialect;
	}

	void reply(Call call, Answer answer) {
		send(call.request().connection(), message(call, answer));
	}

	/** Returns the reply to a request. */
	OutgoingMessage message(Call call, Answer answer) {
		Version version = answer.version();
		List<UserProperty> properties = (version != null) ? List.of(STATUS, timestamp(version), PROTOCOL_VERSION)
				: WITHOUT_VERSION;
		byte[] payload = Replies.encode(answer.reply(), call.request().payload(), this.protocolDialect);
		return new OutgoingMessage(OutgoingMessage.Kind.REPLY, call.responseTopic(), payload, call.correlationData(),
				properties);
	}

	/** Begins applying a write. Notifications pass on its trace context. */
	void beginWrite(Call write) {
		this.write = write;
	}

	void endWrite() {
		this.write = null;
	}

	/**
	 * Notifies watchers of a change that is being applied.
	 * @param value the value, or {@code null} if the key is deleted
	 * @param byClient whether a client, rather than an expiry, caused the change
	 */
	void notifyOfChange(Bytes key, @Nullable Bytes value, Version version, boolean byClient,
			Collection<ClientConnection> watchers) {
		TraceContext trace = (byClient && this.write != null) ? this.write.traceContext() : TraceContext.EMPTY;
		if (trace.isEmpty()) {
			notify(key, value, version, watchers);
			return;
		}
		List<UserProperty> properties = new ArrayList<>();
		properties.add(timestamp(version));
		trace.forEach((name, text) -> properties.add(new UserProperty(name, text)));
		notify(key, value, List.copyOf(properties), watchers);
	}

	/**
	 * Notifies watchers of a key's current value.
	 * @param value the value, or {@code null} if the key is deleted
	 */
	void notify(Bytes key, @Nullable Bytes value, Version version, Collection<ClientConnection> watchers) {
		notify(key, value, List.of(timestamp(version)), watchers);
	}

	private void notify(Bytes key, @Nullable Bytes value, List<UserProperty> properties,
			Collection<ClientConnection> watchers) {
		Notification change = (value != null) ? new Notification.Set(value) : new Notification.Delete();
		byte[] payload = Notifications.encode(change, this.protocolDialect);
		for (ClientConnection watcher : watchers) {
			send(watcher, new OutgoingMessage(OutgoingMessage.Kind.NOTIFICATION,
					Topics.notification(watcher.clientId(), key), payload, null, properties));
		}
	}

	private static UserProperty timestamp(Version version) {
		return new UserProperty(UserProperties.TIMESTAMP, version.toString());
	}

	/**
	 * Sends a message. Only logs a failure, because it must not affect other messages.
	 */
	static void send(ClientConnection connection, OutgoingMessage message) {
		try {
			connection.send(message);
		}
		catch (RuntimeException ex) {
			clientLog.warn("Could not send a {} to client '{}': {}", message.kind(), connection.clientId(), ex);
		}
	}

}

package io.statestore.testing.broker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Topics;
import io.statestore.protocol.UserProperties;
import org.jspecify.annotations.Nullable;

/**
 * A client connection whose messages faults can affect. The client is anonymous, because
 * a test broker does not authenticate clients. Thread-safe.
 */
final class FaultyConnection implements ClientConnection {

	private static final int SUCCESS = 0x00;

	private final ClientConnection target;

	private final StateStoreServer server;

	private final FaultyBroker broker;

	/** Commands that the server has not acknowledged, by correlation data. */
	private final Map<Bytes, Command> commands = new ConcurrentHashMap<>();

	private final DelayLine requests;

	private final DelayLine messages;

	/**
	 * Creates a connection.
	 * @param target sends messages to the client
	 * @param server receives the requests
	 * @param broker holds the state of all connections, such as the faults in effect
	 */
	FaultyConnection(ClientConnection target, StateStoreServer server, FaultyBroker broker) {
		this.target = target;
		this.server = server;
		this.broker = broker;
		this.requests = new DelayLine(broker.delays);
		this.messages = new DelayLine(broker.delays);
	}

	@Override
	public String clientId() {
		return this.target.clientId();
	}

	@Override
	public ClientShare memory() {
		return this.target.memory();
	}

	@Override
	public void watchEnded(Bytes key) {
		this.target.watchEnded(key);
	}

	@Override
	public void disconnect(int reasonCode, String reason) {
		this.target.disconnect(reasonCode, reason);
	}

	@Override
	public void abort() {
		this.target.abort();
	}

	void connected() {
		this.server.connected(this);
	}

	/** Ends the connection like a network failure. Drops waiting messages. */
	void cut() {
		this.broker.absent.add(clientId());
		disconnected();
		this.target.abort();
	}

	/** Handles the end of the connection. Drops waiting messages. */
	void disconnected() {
		this.messages.close(() -> {
		});
		this.requests.close(() -> this.server.disconnected(this));
	}

	/** Handles a request of the client. */
	void request(IncomingRequest received) {
		IncomingRequest request = withAcknowledgment(received, received.acknowledgment());
		Command command = command(request);
		FaultAction action = action(MessageKind.REQUEST, command);
		IncomingRequest passed = request;
		if (action instanceof FaultAction.Delay || this.requests.isDelaying()) {
			// Acknowledged now, because controlled time passes only while no request
			// waits for its acknowledgment.
			request.acknowledgment().acknowledge(SUCCESS);
			passed = withAcknowledgment(request, (reasonCode) -> {
			});
		}
		handle(action, passed, command);
	}

	/** Returns a request's command; {@code null} if it is invalid. */
	private @Nullable Command command(IncomingRequest request) {
		try {
			return Commands.decode(request.payload(), this.broker.options.protocolDialect());
		}
		catch (ProtocolException ex) {
			return null;
		}
	}

	/** Handles an administration request, to which faults do not apply. */
	void administer(IncomingRequest received, boolean authorized) {
		IncomingRequest request = withAcknowledgment(received, received.acknowledgment());
		this.requests.add(Duration.ZERO, () -> this.server.administer(request, authorized));
	}

	private void handle(@Nullable FaultAction action, IncomingRequest request, @Nullable Command command) {
		act(this.requests, action, () -> pass(request, command), () -> request.acknowledgment().acknowledge(SUCCESS),
				(reason) -> refuse(request, reason));
	}

	private IncomingRequest withAcknowledgment(IncomingRequest request, IncomingRequest.Acknowledgment acknowledgment) {
		return new IncomingRequest(this, request.qos(), request.responseTopic(), request.correlationData(),
				request.messageExpiry(), request.userProperties(), request.payload(), acknowledgment);
	}

	private void pass(IncomingRequest request, @Nullable Command command) {
		Bytes correlationData = request.correlationData();
		if (correlationData == null || command == null) {
			this.server.request(request);
			return;
		}
		this.commands.put(correlationData, command);
		IncomingRequest.Acknowledgment acknowledgment = request.acknowledgment();
		// The command is removed on acknowledgment, because the server replies before it
		// acknowledges and does not reply to every request.
		this.server.request(withAcknowledgment(request, (reasonCode) -> {
			this.commands.remove(correlationData, command);
			acknowledgment.acknowledge(reasonCode);
		}));
	}

	private void refuse(IncomingRequest request, ErrorReason reason) {
		String topic = request.responseTopic();
		if (topic != null) {
			byte[] payload = Replies.encode(new Reply.Error(reason), request.payload(),
					this.broker.options.protocolDialect());
			List<UserProperty> properties = List.of(new UserProperty(UserProperties.STATUS, UserProperties.STATUS_OK),
					new UserProperty(UserProperties.PROTOCOL_VERSION, UserProperties.PROTOCOL_VERSION_1));
			this.target.send(new OutgoingMessage(OutgoingMessage.Kind.REPLY, topic, payload, request.correlationData(),
					properties));
		}
		request.acknowledgment().acknowledge(SUCCESS);
	}

	@Override
	public void send(OutgoingMessage message) {
		boolean reply = message.kind() == OutgoingMessage.Kind.REPLY;
		FaultAction action = reply ? replied(message) : this.broker.rules.apply(MessageKind.NOTIFICATION, clientId(),
				Topics.notifiedKey(clientId(), message.topic()));
		act(this.messages, action, () -> this.target.send(message), () -> {
		}, (reason) -> {
		});
	}

	private @Nullable FaultAction replied(OutgoingMessage reply) {
		Bytes correlationData = reply.correlationData();
		Command command = (correlationData != null) ? this.commands.remove(correlationData) : null;
		if (command != null) {
			this.broker.content.replied(command, reply.payload());
		}
		return action(MessageKind.REPLY, command);
	}

	private @Nullable FaultAction action(MessageKind kind, @Nullable Command command) {
		Bytes key = (command instanceof Command.Keyed keyed) ? keyed.key() : null;
		return this.broker.rules.apply(kind, clientId(), key);
	}

	private void act(DelayLine line, @Nullable FaultAction action, Runnable pass, Runnable drop,
			Consumer<ErrorReason> refuse) {
		if (action == null) {
			line.add(Duration.ZERO, pass);
		}
		else if (action instanceof FaultAction.Delay delay) {
			line.add(delay.delay(), pass);
		}
		else if (action instanceof FaultAction.Refuse refused) {
			line.add(Duration.ZERO, () -> refuse.accept(refused.reason()));
		}
		else if (action instanceof FaultAction.Cut) {
			line.add(Duration.ZERO, this::cut);
		}
		else {
			line.add(Duration.ZERO, drop);
		}
	}

}

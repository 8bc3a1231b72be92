package io.statestore.broker.mqtt;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.statestore.broker.login.Logins;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.packet.FrameGuard;
import io.statestore.broker.security.AuditEvent;
import io.statestore.broker.security.AuditLog;

/**
 * Open connections of a broker. Installs the MQTT codec and the channel handlers of
 * requests in the pipeline of each new one. Thread-safe.
 */
final class MqttConnections {

	/** Name of the {@link ReadGate}. */
	static final String GATE = "statestore-gate";

	private final MqttBrokerSettings settings;

	private final ClientListener listener;

	private final OrdinaryBroker broker;

	private final ClientAccess access;

	private final AuditLog audit = new AuditLog();

	private final Set<ClientSession> sessions = ConcurrentHashMap.newKeySet();

	MqttConnections(MqttBrokerSettings settings, ClientListener listener, OrdinaryBroker broker, Logins logins) {
		this.settings = settings;
		this.listener = listener;
		this.broker = broker;
		this.access = new ClientAccess(logins, broker, settings.security().anonymous());
	}

	/**
	 * Adds handlers to the pipeline of a new connection. The handler of ordinary messages
	 * follows them.
	 * @param pipeline the pipeline; called on its event loop
	 * @param memory the share of the client
	 * @return receives whether too many changes of the connection are pending, on the
	 * event loop
	 */
	Consumer<Boolean> initialize(ChannelPipeline pipeline, ClientShare memory) {
		pipeline.addLast(GATE, new ReadGate());
		pipeline.addLast(FrameGuard.ofClient(this.settings.maxPacketSize(), this.settings.maxPropertiesSize(), memory));
		pipeline.addLast(new MqttDecoder(this.settings.maxPacketSize()));
		pipeline.addLast(MqttEncoder.INSTANCE);
		ClientHandler handler = new ClientHandler(this.access, (context) -> open(context, memory));
		pipeline.addLast(handler);
		return handler::pendingChanged;
	}

	private ClientSession open(ChannelHandlerContext context, ClientShare memory) {
		ClientSession session = new ClientSession(context, this.broker, this.listener, memory, this.settings,
				this.audit);
		this.sessions.add(session);
		context.channel().closeFuture().addListener((closed) -> this.sessions.remove(session));
		return session;
	}

	/** Returns the number of denied messages, filters, wills, and response topics. */
	long deniedTopics() {
		return this.audit.count(AuditEvent.DENIED);
	}

	/** Returns the sessions of the open connections, in a view that changes with them. */
	Collection<ClientSession> sessions() {
		return this.sessions;
	}

}

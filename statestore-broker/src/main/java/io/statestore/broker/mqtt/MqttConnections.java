package io.statestore.broker.mqtt;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.statestore.broker.artemis.BacklogListener;
import io.statestore.broker.artemis.ConnectionInitializer;
import io.statestore.broker.login.Logins;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.packet.FrameGuard;
import io.statestore.broker.security.AuditEvent;
import io.statestore.broker.security.AuditLog;

/**
 * Open connections of a broker. Installs our channel handlers in the pipeline of each new
 * one. Thread-safe.
 */
final class MqttConnections implements ConnectionInitializer {

	private static final String DECODER = "statestore-decoder";

	/** Name of the {@link ReadGate}. */
	static final String GATE = "statestore-gate";

	private static final String FRAMES = "statestore-frames";

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

	@Override
	public BacklogListener initialize(ChannelPipeline pipeline, String next, ClientShare memory) {
		// The decoder of Artemis would buffer announced packets of any size.
		pipeline.replace(MqttDecoder.class, DECODER, new MqttDecoder(this.settings.maxPacketSize()));
		pipeline.addBefore(DECODER, FRAMES,
				FrameGuard.ofClient(this.settings.maxPacketSize(), this.settings.maxPropertiesSize(), memory));
		pipeline.addBefore(FRAMES, GATE, new ReadGate());
		ClientHandler handler = new ClientHandler(this.access, (context) -> open(context, memory));
		pipeline.addBefore(next, "statestore", handler);
		return handler;
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

package io.statestore.broker.mqtt;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.statestore.broker.login.Logins;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.packet.FrameGuard;
import io.statestore.broker.security.AuditEvent;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.server.ClientLog;
import org.slf4j.LoggerFactory;

/**
 * Open connections of a broker. Installs the MQTT codec and the handler of packets in the
 * pipeline of each new one. Thread-safe.
 */
final class MqttConnections {

	private final ClientListener listener;

	private final SessionServer server;

	private final Logins logins;

	private final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(ConnectExchange.class));

	private final AuditLog audit = new AuditLog();

	private final Set<ClientLink> open = ConcurrentHashMap.newKeySet();

	MqttConnections(ClientListener listener, SessionServer server, Logins logins) {
		this.listener = listener;
		this.server = server;
		this.logins = logins;
	}

	/**
	 * Takes over an accepted connection.
	 * @param connection the connection; called on its event loop
	 * @param memory the share of its client
	 * @throws IllegalStateException if the broker is stopping
	 */
	void accept(Channel connection, ClientShare memory) {
		if (this.server.isStopping()) {
			throw new IllegalStateException("The MQTT broker is stopping");
		}
		MqttBrokerSettings settings = this.server.settings();
		ChannelPipeline pipeline = connection.pipeline();
		pipeline.addLast(FrameGuard.ofClient(settings.maxPacketSize(), settings.maxPropertiesSize(), memory));
		pipeline.addLast(new MqttDecoder(settings.maxPacketSize()));
		pipeline.addLast(MqttEncoder.INSTANCE);
		pipeline
			.addLast(new ClientHandler(this.logins, this.server, this.clientLog, (context) -> open(context, memory)));
	}

	private ClientSession open(ChannelHandlerContext context, ClientShare memory) {
		ClientSession session = new ClientSession(context, this.server, this.listener, memory, this.audit);
		this.open.add(session.link());
		context.channel().closeFuture().addListener((closed) -> this.open.remove(session.link()));
		return session;
	}

	/** Returns the number of denied messages, filters, wills, and response topics. */
	long deniedTopics() {
		return this.audit.count(AuditEvent.DENIED);
	}

	/** Returns the open connections, in a view that changes with them. */
	Collection<ClientLink> open() {
		return this.open;
	}

}

package io.statestore.broker.mqtt;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.packet.FrameGuard;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTProtocolHandler;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnection;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerConnectionPlugin;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;

/**
 * Puts our handler into the pipeline of every new connection. The broker calls this
 * before it has decoded the first packet.
 */
final class ConnectionPlugin implements ActiveMQServerConnectionPlugin {

	private final ArtemisBridge broker;

	private final ClientListener listener;

	private final ConnectRules rules;

	private final MqttBrokerSettings settings;

	private final Set<ClientSession> sessions = ConcurrentHashMap.newKeySet();

	private final ConcurrentMap<String, Backlog> backlogs = new ConcurrentHashMap<>();

	private final SessionLedger sessionLedger;

	private final TopicLedger topicLedger;

	ConnectionPlugin(ArtemisBridge broker, ClientListener listener, MqttBrokerSettings settings,
			SessionLedger sessionLedger, TopicLedger topicLedger) {
		this.broker = broker;
		this.sessionLedger = sessionLedger;
		this.topicLedger = topicLedger;
		this.listener = listener;
		this.rules = new ConnectRules(settings.account());
		this.settings = settings;
	}

	@Override
	public void afterCreateConnection(RemotingConnection connection) {
		if (!(connection.getTransportConnection() instanceof NettyConnection netty)) {
			throw new IllegalStateException("Not a network connection: " + connection);
		}
		Channel channel = netty.getNettyChannel();
		ClientShare memory = channel.attr(TcpEndpoint.MEMORY).get();
		ChannelPipeline pipeline = channel.pipeline();
		// The broker's own decoder would first buffer whatever size a client announces.
		pipeline.replace(MqttDecoder.class, "statestore-decoder", new MqttDecoder(this.settings.maxPacketSize()));
		pipeline.addBefore("statestore-decoder", "statestore-frames",
				FrameGuard.ofClient(this.settings.maxPacketSize(), this.settings.maxPropertiesSize(), memory));
		pipeline.addBefore("statestore-frames", "statestore-gate", new ReadGate());
		String artemis = pipeline.context(MQTTProtocolHandler.class).name();
		Backlog backlog = new Backlog(memory, this.backlogs);
		pipeline.addBefore(artemis, "statestore-backlog", backlog);
		pipeline.addBefore("statestore-backlog", "statestore-session",
				new SessionGuard(connection.getID(), this.broker, this.sessionLedger, this.topicLedger));
		pipeline.addBefore("statestore-session", "statestore", new ClientHandler(this.rules, (context) -> {
			ClientSession session = new ClientSession(context, this.broker, this.listener, memory);
			backlog.setListener(session::backlogChanged);
			this.sessions.add(session);
			channel.closeFuture().addListener((closed) -> this.sessions.remove(session));
			return session;
		}));
	}

	/** The connections that are open now. */
	Collection<ClientSession> sessions() {
		return this.sessions;
	}

}

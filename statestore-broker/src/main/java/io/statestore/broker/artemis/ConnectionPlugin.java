package io.statestore.broker.artemis;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.util.AttributeKey;
import io.statestore.broker.artemis.session.ArtemisSessions;
import io.statestore.broker.memory.ClientShare;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTProtocolHandler;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnection;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerConnectionPlugin;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;

/**
 * Plugin that adds handlers to the pipeline of every new connection. Artemis calls it
 * before it decodes the first packet.
 */
final class ConnectionPlugin implements ActiveMQServerConnectionPlugin {

	/** Attribute of a channel: the share of its client. */
	static final AttributeKey<ClientShare> MEMORY = AttributeKey.valueOf(ConnectionPlugin.class, "memory");

	private static final String SESSION_GUARD = "statestore-session";

	private final ArtemisSessions sessions;

	private final ConnectionInitializer initializer;

	/** Guards of all connections, by client id in Artemis. */
	private final ConcurrentMap<String, TakeoverGuard> guards = new ConcurrentHashMap<>();

	ConnectionPlugin(ArtemisSessions sessions, ConnectionInitializer initializer) {
		this.sessions = sessions;
		this.initializer = initializer;
	}

	@Override
	public void afterCreateConnection(RemotingConnection connection) {
		if (!(connection.getTransportConnection() instanceof NettyConnection netty)) {
			throw new IllegalStateException("Not a network connection: " + connection);
		}
		Channel channel = netty.getNettyChannel();
		ClientShare memory = channel.attr(MEMORY).get();
		ChannelPipeline pipeline = channel.pipeline();
		String artemis = pipeline.context(MQTTProtocolHandler.class).name();
		Backlog backlog = new Backlog(memory);
		pipeline.addBefore(artemis, SESSION_GUARD, this.sessions.newGuard(connection.getID()));
		pipeline.addBefore(artemis, "statestore-backlog", backlog);
		pipeline.addBefore(artemis, "statestore-takeover", new TakeoverGuard(this.guards));
		backlog.setListener(this.initializer.initialize(pipeline, SESSION_GUARD, memory));
	}

}

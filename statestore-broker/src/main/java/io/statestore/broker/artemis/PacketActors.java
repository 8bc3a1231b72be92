package io.statestore.broker.artemis;

import java.lang.reflect.Field;

import io.netty.channel.Channel;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.statestore.broker.artemis.session.ArtemisSessions;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTProtocolHandler;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnection;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerConnectionPlugin;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;
import org.apache.activemq.artemis.utils.actors.Actor;
import org.apache.activemq.artemis.utils.actors.ActorListener;
import org.jspecify.annotations.Nullable;

/**
 * Plugin that replaces the code with which Artemis executes packets. It is in a private
 * field, which reflection replaces.
 */
final class PacketActors implements ActiveMQServerConnectionPlugin {

	private static final Field ACTOR = field(MQTTProtocolHandler.class, "mqttMessageActor");

	private final ActiveMQServer server;

	private final ArtemisSessions sessions;

	/** Keeps packets in order, {@code null} if nothing waits for the disk. */
	private final @Nullable PacketOrder order;

	/**
	 * Creates a plugin.
	 * @param server the server
	 * @param sessions the sessions of the server
	 * @param order keeps packets in order, {@code null} if nothing waits for the disk
	 */
	PacketActors(ActiveMQServer server, ArtemisSessions sessions, @Nullable PacketOrder order) {
		this.server = server;
		this.sessions = sessions;
		this.order = order;
	}

	static Field field(Class<?> type, String name) {
		try {
			Field field = type.getDeclaredField(name);
			field.setAccessible(true);
			return field;
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			throw new IllegalStateException("Not supported with this version of Artemis: " + type, ex);
		}
	}

	/** Called before the first packet is read. */
	@Override
	public void afterCreateConnection(RemotingConnection connection) {
		if (!(connection.getTransportConnection() instanceof NettyConnection netty)) {
			throw new IllegalStateException("Not a network connection: " + connection);
		}
		Channel channel = netty.getNettyChannel();
		MQTTProtocolHandler handler = channel.pipeline().get(MQTTProtocolHandler.class);
		ActorListener<MqttMessage> execution = new PacketExecution(channel, handler, this.sessions);
		try {
			ACTOR.set(handler, new Actor<>(this.server.getThreadPool(),
					(this.order != null) ? this.order.ordered(connection, channel, handler, execution) : execution));
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("Failed to replace the actor of an MQTT connection", ex);
		}
	}

	/**
	 * Returns the actor of a connection.
	 * @param handler the handler of the connection
	 * @throws ReflectiveOperationException if it cannot be read
	 */
	static Actor<?> actor(Object handler) throws ReflectiveOperationException {
		return (Actor<?>) ACTOR.get(handler);
	}

}

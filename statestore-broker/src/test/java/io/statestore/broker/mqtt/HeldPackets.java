package io.statestore.broker.mqtt;

import java.lang.reflect.Field;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import io.netty.handler.codec.mqtt.MqttMessage;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTProtocolHandler;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnection;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerConnectionPlugin;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;
import org.apache.activemq.artemis.utils.actors.Actor;
import org.jspecify.annotations.Nullable;

import static org.awaitility.Awaitility.await;

/**
 * Holds the packets of the next connection before Artemis executes them, as if it had no
 * thread for them.
 */
final class HeldPackets implements ActiveMQServerConnectionPlugin {

	private final ActiveMQServer server;

	private final BlockingQueue<Runnable> held = new LinkedBlockingQueue<>();

	private volatile @Nullable Actor<MqttMessage> actor;

	HeldPackets(ActiveMQServer server) {
		this.server = server;
		server.registerBrokerPlugin(this);
	}

	@Override
	@SuppressWarnings("unchecked")
	public void afterCreateConnection(RemotingConnection connection) {
		this.server.unRegisterBrokerPlugin(this);
		MQTTProtocolHandler handler = ((NettyConnection) connection.getTransportConnection()).getNettyChannel()
			.pipeline()
			.get(MQTTProtocolHandler.class);
		try {
			Field field = MQTTProtocolHandler.class.getDeclaredField("mqttMessageActor");
			field.setAccessible(true);
			Actor<MqttMessage> actor = (Actor<MqttMessage>) field.get(handler);
			field.set(handler, new Actor<MqttMessage>(this.held::add, actor::act));
			this.actor = actor;
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Waits for the first packet. */
	void awaitPacket() {
		await("a packet").until(() -> !this.held.isEmpty());
	}

	/** Lets Artemis execute the packets, and waits until it has. */
	void release() throws InterruptedException {
		this.held.take().run();
		Actor<MqttMessage> actor = Objects.requireNonNull(this.actor);
		await("execution").until(() -> actor.remaining() == 0 && actor.isFlushed());
	}

}

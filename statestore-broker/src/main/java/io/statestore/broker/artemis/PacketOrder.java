package io.statestore.broker.artemis;

import java.lang.reflect.Field;

import io.netty.handler.codec.mqtt.MqttMessage;
import io.statestore.broker.artemis.disk.JournalContext;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.core.persistence.OperationContext;
import org.apache.activemq.artemis.core.persistence.StorageManager;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTProtocolHandler;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSession;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnection;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.MessageReference;
import org.apache.activemq.artemis.core.server.ServerConsumer;
import org.apache.activemq.artemis.core.server.ServerSession;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerConnectionPlugin;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerMessagePlugin;
import org.apache.activemq.artemis.core.transaction.Transaction;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;
import org.apache.activemq.artemis.utils.actors.Actor;

/**
 * Plugin that keeps messages and acknowledgments in order while they wait for the disk.
 * Artemis keeps the order of one operation context only. For MQTT, Artemis 2.43 assigns
 * the context of a session to the thread that creates the connection. Packets run on
 * other threads, with a context of whatever those threads did before.
 * <p>
 * Packets of a client therefore run with the context of its session. The code that runs
 * them is in a private field of Artemis, which reflection replaces.
 */
final class PacketOrder implements ActiveMQServerConnectionPlugin, ActiveMQServerMessagePlugin {

	private static final Field SESSION = field("session");

	private static final Field ACTOR = field("mqttMessageActor");

	private final ActiveMQServer server;

	/**
	 * Creates a plugin.
	 * @param server the server, which has a journal
	 */
	PacketOrder(ActiveMQServer server) {
		this.server = server;
	}

	private static Field field(String name) {
		try {
			Field field = MQTTProtocolHandler.class.getDeclaredField(name);
			field.setAccessible(true);
			return field;
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			throw new IllegalStateException("Not supported with this version of Artemis: " + MQTTProtocolHandler.class,
					ex);
		}
	}

	/** Called before the first packet is read. */
	@Override
	public void afterCreateConnection(RemotingConnection connection) {
		if (!(connection.getTransportConnection() instanceof NettyConnection netty)) {
			throw new IllegalStateException("Not a network connection: " + connection);
		}
		MQTTProtocolHandler handler = netty.getNettyChannel().pipeline().get(MQTTProtocolHandler.class);
		try {
			OperationContext context = ((MQTTSession) SESSION.get(handler)).getSessionContext();
			if (context instanceof JournalContext journaled) {
				journaled.onFailure(netty.getNettyChannel()::close);
			}
			StorageManager storage = this.server.getStorageManager();
			ACTOR.set(handler, new Actor<MqttMessage>(this.server.getThreadPool(), (packet) -> {
				storage.setContext(context);
				handler.act(packet);
			}));
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("Failed to replace the actor of an MQTT connection", ex);
		}
	}

	/** Lets a will follow the earlier messages of its client. */
	@Override
	public void beforeSend(ServerSession session, Transaction transaction, Message message, boolean direct,
			boolean noAutoCreateQueue) {
		this.server.getStorageManager().setContext(session.getSessionContext());
	}

	/**
	 * Sends a message at once. It is in the journal already, and an unrelated write would
	 * let later messages overtake it.
	 */
	@Override
	public void beforeDeliver(ServerConsumer consumer, MessageReference reference) {
		this.server.getStorageManager().clearContext();
	}

}

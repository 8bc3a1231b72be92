package io.statestore.broker.artemis;

import java.lang.reflect.Field;
import java.time.Duration;

import io.netty.channel.Channel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.artemis.disk.JournalContext;
import io.statestore.broker.artemis.session.ArtemisSessions;
import io.statestore.broker.artemis.session.SubscriberHandshake;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.core.persistence.OperationContext;
import org.apache.activemq.artemis.core.persistence.StorageManager;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTProtocolHandler;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSession;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.MessageReference;
import org.apache.activemq.artemis.core.server.ServerConsumer;
import org.apache.activemq.artemis.core.server.ServerSession;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerMessagePlugin;
import org.apache.activemq.artemis.core.transaction.Transaction;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;
import org.apache.activemq.artemis.utils.actors.Actor;
import org.apache.activemq.artemis.utils.actors.ActorListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plugin that keeps messages and acknowledgments in order while they wait for the disk.
 * Artemis keeps the order of one operation context only. For MQTT, Artemis 2.43 assigns
 * the context of a session to the thread that creates the connection. Packets run on
 * other threads, with a context of whatever those threads did before.
 * <p>
 * Packets of a client therefore run with the context of its session.
 * <p>
 * A CONNECT waits until the packets of the previous connection of its session are on the
 * disk. The session already reflects them, and would acknowledge repeated ones before
 * they are stored.
 */
final class PacketOrder implements ActiveMQServerMessagePlugin {

	private static final Logger logger = LoggerFactory.getLogger(PacketOrder.class);

	/** Time to wait for the previous connection. Its client has given up, too. */
	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final Field SESSION = PacketActors.field(MQTTProtocolHandler.class, "session");

	private static final Field HANDLER = PacketActors.field(MQTTSession.class, "protocolHandler");

	private final ActiveMQServer server;

	private final ArtemisSessions sessions;

	/**
	 * Creates a plugin.
	 * @param server the server, which has a journal
	 * @param sessions the sessions of the server
	 */
	PacketOrder(ActiveMQServer server, ArtemisSessions sessions) {
		this.server = server;
		this.sessions = sessions;
	}

	/**
	 * Returns the ordered execution of the packets of a connection.
	 * @param connection the connection
	 * @param channel its channel
	 * @param handler its handler
	 * @param execution executes packets
	 * @throws ReflectiveOperationException if Artemis is not as expected
	 */
	ActorListener<MqttMessage> ordered(RemotingConnection connection, Channel channel, MQTTProtocolHandler handler,
			ActorListener<MqttMessage> execution) throws ReflectiveOperationException {
		OperationContext context = ((MQTTSession) SESSION.get(handler)).getSessionContext();
		if (context instanceof JournalContext journaled) {
			journaled.onFailure(channel::close);
		}
		StorageManager storage = this.server.getStorageManager();
		SubscriberHandshake handshake = this.sessions.newHandshake(channel);
		return (packet) -> {
			storage.setContext(context);
			if (packet instanceof MqttConnectMessage connect && !awaitPrevious(handler, connect)) {
				channel.close();
				ReferenceCountUtil.release(packet);
			}
			else if (!handshake.handle(packet)) {
				execution.onMessage(packet);
				if (packet instanceof MqttConnectMessage) {
					this.sessions.connected(connection, handshake);
				}
			}
		};
	}

	/** Waits for the packets of the previous connection of a session. */
	private boolean awaitPrevious(MQTTProtocolHandler handler, MqttConnectMessage connect) {
		MQTTSession previous = this.sessions.latestConnection(connect.payload().clientIdentifier());
		try {
			if (previous == null || HANDLER.get(previous) == handler) {
				return true;
			}
			boolean stored = awaitExecution(PacketActors.actor(HANDLER.get(previous)))
					&& (!(previous.getSessionContext() instanceof JournalContext context)
							|| context.awaitStored(TIMEOUT));
			if (!stored) {
				logger.warn("Closed a new MQTT connection: packets of the previous one of its client have waited "
						+ "for the disk for {} s", TIMEOUT.toSeconds());
			}
			return stored;
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("Failed to read the actor of an MQTT connection", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/** Waits until the packets that an actor has received are executed. */
	private static boolean awaitExecution(Actor<?> actor) throws InterruptedException {
		long end = System.nanoTime() + TIMEOUT.toNanos();
		while (actor.remaining() > 0 || !actor.isFlushed()) {
			if (System.nanoTime() > end) {
				return false;
			}
			Thread.sleep(1);
		}
		return true;
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

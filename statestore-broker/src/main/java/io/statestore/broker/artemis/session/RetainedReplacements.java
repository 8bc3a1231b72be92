package io.statestore.broker.artemis.session;

import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTUtil;
import org.apache.activemq.artemis.core.server.ServerSession;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerMessagePlugin;
import org.apache.activemq.artemis.core.transaction.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * Plugin that distinguishes the replacement of a retained message from its removal. In
 * both cases, Artemis 2.43 first removes the present message, on the thread that has
 * published the new one. A crash before it stores the new message would lose both.
 * Thread-safe.
 */
final class RetainedReplacements implements ActiveMQServerMessagePlugin {

	/** Name of the queue whose message the thread replaces next. */
	private final ThreadLocal<@Nullable String> next = new ThreadLocal<>();

	@Override
	public void beforeSend(ServerSession session, Transaction transaction, Message message, boolean direct,
			boolean noAutoCreateQueue) {
		if (message.getBooleanProperty(MQTTUtil.MQTT_MESSAGE_RETAIN_KEY) && !isEmpty(message)) {
			this.next.set(MQTTUtil.MQTT_RETAIN_ADDRESS_PREFIX + message.getAddress());
		}
		else {
			this.next.remove();
		}
	}

	private static boolean isEmpty(Message message) {
		return !message.isLargeMessage() && message.toCore().getReadOnlyBodyBuffer().readableBytes() == 0;
	}

	/**
	 * Returns whether the calling thread removes the message of a queue because it adds a
	 * new one next. Returns so only once for each message.
	 * @param queue name of the queue
	 * @return whether the new message replaces the present one
	 */
	boolean takeReplacement(String queue) {
		boolean replacement = queue.equals(this.next.get());
		this.next.remove();
		return replacement;
	}

}

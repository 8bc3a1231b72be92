package io.statestore.broker.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.broker.session.Delivery;
import io.statestore.broker.session.Message;
import io.statestore.mqtt.OutgoingPublish;
import io.statestore.mqtt.VariableByteInteger;

/** An ordinary message, in the form of a PUBLISH to one client. */
final class DeliveryPublish extends OutgoingPublish {

	private final Delivery delivery;

	private final long now;

	/**
	 * Creates a message.
	 * @param delivery the delivery from the client's session
	 * @param mqtt5 whether the client uses MQTT 5
	 * @param now current log time
	 */
	DeliveryPublish(Delivery delivery, boolean mqtt5, long now) {
		super(delivery.message().topic(), delivery.qos(), delivery.retain(), delivery.message().payload(),
				mqtt5 ? propertiesSize(delivery) : NO_PROPERTIES);
		this.delivery = delivery;
		this.now = now;
	}

	private static int propertiesSize(Delivery delivery) {
		Message message = delivery.message();
		int size = message.properties().length + ((message.expiry() != Message.NEVER) ? 5 : 0);
		for (int identifier : delivery.identifiers()) {
			size += 1 + VariableByteInteger.lengthOf(identifier);
		}
		return size;
	}

	@Override
	protected void writeProperties(ByteBuf out) {
		for (int identifier : this.delivery.identifiers()) {
			VariableByteInteger.write(out.writeByte(MqttProperties.SUBSCRIPTION_IDENTIFIER), identifier);
		}
		Message message = this.delivery.message();
		out.writeBytes(message.properties());
		if (message.expiry() != Message.NEVER) {
			long seconds = Math.max(1, (message.expiry() - this.now + 999_999_999L) / 1_000_000_000L);
			out.writeByte(MqttProperties.PUBLICATION_EXPIRY_INTERVAL).writeInt((int) seconds);
		}
	}

}

package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.client.MqttClientException;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttPublish;
import org.eclipse.paho.mqttv5.common.packet.MqttReturnCode;
import org.jspecify.annotations.Nullable;

/**
 * Publishes for users of the shared client, in turn with the calls to the state store.
 * Waits for room, where Paho would throw.
 */
final class SharedPublisher {

	private final FlowControl flow;

	private final Mailbox mailbox;

	private final Duration timeout;

	SharedPublisher(FlowControl flow, Mailbox mailbox, Duration timeout) {
		this.flow = flow;
		this.mailbox = mailbox;
		this.timeout = timeout;
	}

	IMqttToken publish(SharedArguments args) throws MqttException {
		Outgoing outgoing = new Outgoing(args.topic(), args.message(), args.userContext(),
				args.first(MqttActionListener.class));
		this.flow.submit(outgoing);
		try {
			return outgoing.token.get(this.timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			outgoing.token.completeExceptionally(new MqttException(MqttClientException.REASON_CODE_MAX_INFLIGHT));
		}
		catch (ExecutionException ex) {
			// Thrown below.
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			outgoing.token.completeExceptionally(new MqttException(ex));
		}
		this.flow.withdraw(outgoing);
		return outgoing.result();
	}

	private final class Outgoing implements FlowControl.Outgoing {

		private final String topic;

		private final MqttMessage message;

		private final @Nullable Object context;

		private final @Nullable MqttActionListener listener;

		private final CompletableFuture<IMqttToken> token = new CompletableFuture<>();

		Outgoing(String topic, MqttMessage message, @Nullable Object context, @Nullable MqttActionListener listener) {
			this.topic = topic;
			this.message = message;
			this.context = context;
			this.listener = listener;
		}

		@Override
		public FlowControl.Outcome send(Link link) {
			if (this.token.isDone()) {
				return FlowControl.Outcome.DROPPED;
			}
			try {
				checkPacket(link.maximumPacketSize());
				IMqttToken real = PahoLink.of(link)
					.publish(this.topic, this.message, this.context, wrap(this.listener, link));
				// A listener set later replaces this one, and returns the permit instead.
				this.token.complete(SharedToken.of(real, (later) -> wrap(later, link)));
				return FlowControl.Outcome.SENT;
			}
			catch (MqttException | RuntimeException ex) {
				if (ex instanceof MqttException mqtt
						&& mqtt.getReasonCode() == MqttClientException.REASON_CODE_MAX_INFLIGHT) {
					return FlowControl.Outcome.NO_ROOM;
				}
				this.token.completeExceptionally(ex);
				return FlowControl.Outcome.DROPPED;
			}
		}

		/** The connection of all would break on a packet that cannot be sent. */
		private void checkPacket(@Nullable Long maximumSize) throws MqttException {
			MqttPublish packet = new MqttPublish(this.topic, this.message, this.message.getProperties());
			long size = (long) packet.getHeader().length + this.message.getPayload().length;
			if (maximumSize != null && size > maximumSize) {
				throw new MqttException(MqttReturnCode.RETURN_CODE_PACKET_TOO_LARGE,
						new IllegalArgumentException("The message to '" + this.topic + "' has " + size
								+ " bytes, but the broker accepts packets of at most " + maximumSize));
			}
		}

		private MqttActionListener wrap(@Nullable MqttActionListener listener, Link link) {
			return new UserActionListener(listener, SharedPublisher.this.mailbox,
					() -> SharedPublisher.this.flow.release(link, this));
		}

		IMqttToken result() throws MqttException {
			try {
				return this.token.get();
			}
			catch (ExecutionException ex) {
				if (ex.getCause() instanceof MqttException mqtt) {
					throw mqtt;
				}
				throw (RuntimeException) ex.getCause();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new MqttException(ex);
			}
		}

	}

}

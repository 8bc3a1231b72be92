package io.statestore.client.mqtt;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;

import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.client.MqttClientException;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.jspecify.annotations.Nullable;

/**
 * The client that users get, for as long as the application runs. Each call goes to the
 * Paho client of the current connection; what would harm the connection that all share is
 * refused.
 */
final class SharedClient implements InvocationHandler {

	private final StateStoreConnection connection;

	private final SharedPublisher publisher;

	private final SharedSubscriber subscriber;

	private SharedClient(StateStoreConnection connection, SharedPublisher publisher, SharedSubscriber subscriber) {
		this.connection = connection;
		this.publisher = publisher;
		this.subscriber = subscriber;
	}

	static IMqttAsyncClient create(StateStoreConnection connection, SharedPublisher publisher,
			SharedSubscriber subscriber) {
		return (IMqttAsyncClient) Proxy.newProxyInstance(SharedClient.class.getClassLoader(),
				new Class<?>[] { IMqttAsyncClient.class }, new SharedClient(connection, publisher, subscriber));
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
		SharedArguments args = new SharedArguments(method, arguments);
		return switch (method.getName()) {
			case "publish" -> publish(args);
			case "subscribe" -> this.subscriber.subscribe(args, link());
			case "unsubscribe" -> this.subscriber.unsubscribe(args, link());
			case "connect" -> connect(args.first(MqttActionListener.class));
			// The connection supervises itself.
			case "reconnect" -> null;
			case "isConnected" -> this.connection.isConnected();
			case "getClientId" -> this.connection.getClientId();
			case "getServerURI", "getCurrentServerURI" -> this.connection.getUrl();
			case "getPendingTokens" -> link().client().getPendingTokens();
			case "getInFlightMessageCount" -> inFlightMessageCount();
			case "getBufferedMessageCount" -> 0;
			case "equals" -> proxy == args.first(Object.class);
			case "hashCode" -> System.identityHashCode(proxy);
			case "toString" -> "Shared client of " + this.connection.getUrl();
			default -> throw new UnsupportedOperationException("'" + method.getName()
					+ "' is not for users of the connection that State Store shares with them; use a client of your own");
		};
	}

	private IMqttToken publish(SharedArguments args) throws MqttException {
		// Waits for room, but not for a connection.
		link();
		return this.publisher.publish(args);
	}

	private PahoLink link() throws MqttException {
		Link link = this.connection.link();
		if (link == null) {
			throw new MqttException(MqttClientException.REASON_CODE_CLIENT_NOT_CONNECTED);
		}
		return PahoLink.of(link);
	}

	private int inFlightMessageCount() {
		Link link = this.connection.link();
		return (link != null) ? PahoLink.of(link).client().getInFlightMessageCount() : 0;
	}

	/** A token for the connection that the supervisor is making or has made. */
	private IMqttToken connect(@Nullable MqttActionListener listener) {
		IMqttToken token = SharedToken.create(this::connectToken);
		if (listener != null) {
			this.connection.whenConnected(() -> listener.onSuccess(token));
		}
		return token;
	}

	private @Nullable Object connectToken(Object proxy, Method method, Object @Nullable [] arguments)
			throws MqttException {
		switch (method.getName()) {
			case "waitForCompletion":
				long millis = (arguments != null) ? (long) arguments[0] : -1;
				awaitConnected((millis > 0) ? Duration.ofMillis(millis) : Duration.ofDays(365));
				return null;
			case "isComplete":
				return this.connection.isConnected();
			case "equals":
				return arguments != null && proxy == arguments[0];
			case "hashCode", "getMessageId":
				return 0;
			case "getSessionPresent":
				return false;
			case "toString":
				return "Connect to " + this.connection.getUrl();
			default:
				return null;
		}
	}

	private void awaitConnected(Duration timeout) throws MqttException {
		try {
			if (!this.connection.awaitConnected(timeout)) {
				throw new MqttException(MqttClientException.REASON_CODE_CLIENT_TIMEOUT);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new MqttException(ex);
		}
	}

}

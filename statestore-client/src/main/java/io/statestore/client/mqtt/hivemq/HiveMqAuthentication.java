package io.statestore.client.mqtt.hivemq;

import java.util.concurrent.CompletableFuture;

import com.hivemq.client.mqtt.datatypes.MqttUtf8String;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientConfig;
import com.hivemq.client.mqtt.mqtt5.auth.Mqtt5EnhancedAuthMechanism;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5Auth;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5AuthBuilder;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5EnhancedAuthBuilder;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;

/**
 * Enhanced authentication in one step. The data is read before it is requested here, on
 * the network thread. Thread-safe.
 */
final class HiveMqAuthentication implements Mqtt5EnhancedAuthMechanism {

	private final String method;

	private volatile byte[] data;

	/**
	 * @param data data of the CONNECT
	 */
	HiveMqAuthentication(String method, byte[] data) {
		this.method = method;
		this.data = data;
	}

	/** Sets the data of the next authentication. */
	void setData(byte[] data) {
		this.data = data;
	}

	@Override
	public MqttUtf8String getMethod() {
		return MqttUtf8String.of(this.method);
	}

	/** Returns no limit. The supervisor has one, which depends on the data. */
	@Override
	public int getTimeout() {
		return 0;
	}

	@Override
	public CompletableFuture<Void> onAuth(Mqtt5ClientConfig config, Mqtt5Connect connect,
			Mqtt5EnhancedAuthBuilder builder) {
		builder.data(this.data);
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<Void> onReAuth(Mqtt5ClientConfig config, Mqtt5AuthBuilder builder) {
		builder.data(this.data);
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<Boolean> onContinue(Mqtt5ClientConfig config, Mqtt5Auth auth, Mqtt5AuthBuilder builder) {
		return CompletableFuture.completedFuture(false);
	}

	@Override
	public CompletableFuture<Boolean> onAuthSuccess(Mqtt5ClientConfig config, Mqtt5ConnAck connAck) {
		return CompletableFuture.completedFuture(true);
	}

	@Override
	public CompletableFuture<Boolean> onReAuthSuccess(Mqtt5ClientConfig config, Mqtt5Auth auth) {
		return CompletableFuture.completedFuture(true);
	}

	@Override
	public void onAuthRejected(Mqtt5ClientConfig config, Mqtt5ConnAck connAck) {
		// The connect fails and reports it.
	}

	@Override
	public void onReAuthRejected(Mqtt5ClientConfig config, Mqtt5Disconnect disconnect) {
		// The connection ends and reports it.
	}

	@Override
	public void onAuthError(Mqtt5ClientConfig config, Throwable cause) {
		// The connect fails and reports it.
	}

	@Override
	public void onReAuthError(Mqtt5ClientConfig config, Throwable cause) {
		// The connection ends and reports it.
	}

}

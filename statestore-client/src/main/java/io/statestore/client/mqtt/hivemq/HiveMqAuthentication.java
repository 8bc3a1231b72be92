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
import io.statestore.client.mqtt.link.LinkOptions;

/** Enhanced authentication in one step, with the data of the CONNECT only. */
final class HiveMqAuthentication implements Mqtt5EnhancedAuthMechanism {

	private final LinkOptions.Authentication authentication;

	private final int timeoutSeconds;

	HiveMqAuthentication(LinkOptions.Authentication authentication, int timeoutSeconds) {
		this.authentication = authentication;
		this.timeoutSeconds = timeoutSeconds;
	}

	@Override
	public MqttUtf8String getMethod() {
		return MqttUtf8String.of(this.authentication.method());
	}

	@Override
	public int getTimeout() {
		return this.timeoutSeconds;
	}

	@Override
	public CompletableFuture<Void> onAuth(Mqtt5ClientConfig config, Mqtt5Connect connect,
			Mqtt5EnhancedAuthBuilder builder) {
		builder.data(this.authentication.data().get());
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<Void> onReAuth(Mqtt5ClientConfig config, Mqtt5AuthBuilder builder) {
		builder.data(this.authentication.data().get());
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

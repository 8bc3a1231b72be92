package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.statestore.client.CommandInvoker.Limits;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Server;
import io.statestore.client.mqtt.internal.FakeBroker;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(30)
class StateStoreConnectionTests {

	private static final Command SET = new Command.Set(Bytes.of("key"), Bytes.of("value"));

	@Test
	void sendsCommandsAndDescribesThem() throws Exception {
		try (FakeBroker broker = new FakeBroker();
				StateStoreConnection connection = new StateStoreConnection(broker.options().build())) {
			assertThat(connection.getPhase()).isZero();
			assertThat(connection.lastRoundTrip()).isEmpty();
			assertThat(connection.invoke(SET, Options.DEFAULT).get(10, TimeUnit.SECONDS).reply())
				.isEqualTo(new Reply.Ok());
			assertThat(connection.isConnected()).isTrue();
			assertThat(connection.isRunning()).isFalse();
			assertThat(connection.lastRoundTrip())
				.hasValueSatisfying((latest) -> assertThat(latest.duration()).isLessThan(Duration.ofSeconds(10)));
			assertThat(connection.clockOffset()).isEmpty();
			assertThat(connection.pendingCalls()).isZero();
			assertThat(connection.unmatchedReplies()).isZero();
			assertThat(connection.server()).isEqualTo(new Server("127.0.0.1", broker.port()));
			assertThat(connection.limits())
				.isEqualTo(new Limits(connection.options().maxPending(), connection.options().requestTimeout()));
		}
	}

}

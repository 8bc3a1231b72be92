package io.statestore.broker.mqtt;

import io.netty.channel.embedded.EmbeddedChannel;
import io.statestore.broker.security.Credentials;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ClientCredentialsTests {

	@Test
	void unknownAddressIsNotLoopback() {
		EmbeddedChannel channel = new EmbeddedChannel();
		Credentials credentials = ClientCredentials.of(channel, NettyPackets.connect("c1").build());
		assertThat(credentials.address().isLoopbackAddress()).isFalse();
		assertThat(credentials.address().isAnyLocalAddress()).isTrue();
	}

}

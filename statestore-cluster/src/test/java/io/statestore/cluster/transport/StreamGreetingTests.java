package io.statestore.cluster.transport;

import java.net.InetSocketAddress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class StreamGreetingTests {

	private static final Greeting GREETING = new Greeting("group", "a:1", "b:1", "founders", "own", "expected");

	private static @Nullable StreamGreeting decoded(String client) {
		ByteBuf frame = new StreamGreeting(GREETING, new InetSocketAddress(client, 1234))
			.encode(UnpooledByteBufAllocator.DEFAULT)
			.skipBytes(Frames.LENGTH_BYTES);
		try {
			Greeting greeting = Greeting.decode(frame);
			assertThat(greeting).isEqualTo(GREETING);
			return StreamGreeting.decode(GREETING, frame);
		}
		finally {
			frame.release();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "192.0.2.1", "127.0.0.1", "2001:db8::1" })
	void carriesClientAddress(String client) {
		assertThat(decoded(client)).isEqualTo(new StreamGreeting(GREETING, new InetSocketAddress(client, 1234)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "0.0.0.0", "224.0.0.1", "::", "ff02::1" })
	void refusesImpossibleClientAddress(String client) {
		assertThat(decoded(client)).isNull();
	}

}

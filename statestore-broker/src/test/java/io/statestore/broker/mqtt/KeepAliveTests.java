package io.statestore.broker.mqtt;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeepAliveTests {

	private final AtomicInteger expired = new AtomicInteger();

	private final EmbeddedChannel channel = EmbeddedChannel.builder()
		.handlers(new KeepAlive(10, this.expired::incrementAndGet))
		.build();

	KeepAliveTests() {
		this.channel.freezeTime();
	}

	private void advance(long milliseconds) {
		this.channel.advanceTimeBy(milliseconds, TimeUnit.MILLISECONDS);
		this.channel.runScheduledPendingTasks();
	}

	@Test
	void expiresAfterOneAndAHalfKeepAlives() {
		advance(14_900);
		assertThat(this.expired).hasValue(0);
		advance(200);
		assertThat(this.expired).hasValue(1);
	}

	@Test
	void receivedBytesRestartTheInterval() {
		advance(14_000);
		this.channel.writeInbound("bytes");
		advance(14_900);
		assertThat(this.expired).hasValue(0);
		advance(200);
		assertThat(this.expired).hasValue(1);
	}

	@Test
	void closesConnectionThatAcceptsNoData() {
		this.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
		advance(KeepAlive.STALL_MILLIS + 100);
		assertThat(this.channel.isOpen()).isTrue();
		advance(KeepAlive.STALL_MILLIS + 100);
		assertThat(this.channel.isOpen()).isFalse();
	}

	@Test
	void keepsConnectionWhenNothingIsSent() {
		for (int i = 0; i < 5; i++) {
			advance(KeepAlive.STALL_MILLIS + 100);
		}
		assertThat(this.channel.isOpen()).isTrue();
	}

	@Test
	void expiresRepeatedlyWithoutTraffic() {
		advance(15_100);
		advance(15_100);
		assertThat(this.expired).hasValue(2);
	}

}

package io.statestore.broker.gateway;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Retained messages from a broker that does not stop sending. */
@Timeout(60)
class RetainedReaderTests {

	private static final Watch OBSERVATION = new Watch("c", Bytes.of("k"));

	private static final byte[] PAGE = WatcherPage.encode(List.of(OBSERVATION));

	private static final byte[] STATUS = "v1\nversions=7\ngroups=1\n".getBytes(StandardCharsets.US_ASCII);

	private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

	@AfterEach
	void stop() {
		this.group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
	}

	@Test
	void continuesWithoutRestOfGroupThatNeverPauses() throws Exception {
		try (FakeBroker broker = new FakeBroker(onGroup((channel) -> {
			FakeBroker.send(channel, GatewayTopics.page(0), true, PAGE);
			repeat(channel, GatewayTopics.page(1), true);
		}))) {
			Retained retained = read(broker, Duration.ofMillis(500)).get();
			assertThat(retained.status().versions()).isEqualTo(7);
			assertThat(retained.pages()).containsEntry(0, new WatcherPage(List.of(OBSERVATION), 0));
			assertThat(retained.writable()).isTrue();
		}
	}

	@Test
	void doesNotWaitForPauseInLiveMessages() throws Exception {
		try (FakeBroker broker = new FakeBroker(onGroup((channel) -> {
			FakeBroker.send(channel, GatewayTopics.page(0), true, PAGE);
			repeat(channel, GatewayTopics.page(1), false);
		}))) {
			Retained retained = read(broker, Duration.ofDays(1)).get();
			assertThat(retained.pages()).containsOnlyKeys(0);
		}
	}

	@Test
	void readsEachGroupOnceDespiteForgedMarkers() throws Exception {
		try (FakeBroker broker = new FakeBroker(new BiConsumer<>() {

			private String marker = "";

			@Override
			public void accept(Channel channel, String filter) {
				this.marker = this.marker.isEmpty() ? filter : this.marker;
				if (filter.equals(GatewayTopics.STATUS)) {
					FakeBroker.send(channel, filter, true, STATUS);
				}
				else if (filter.equals(GatewayTopics.group(0))) {
					FakeBroker.send(channel, GatewayTopics.page(0), true, PAGE);
				}
				for (int i = 0; i < 100; i++) {
					FakeBroker.send(channel, this.marker, false);
				}
			}

		})) {
			Retained retained = read(broker, RetainedReader.TIMEOUT).get();
			assertThat(retained.status().versions()).isEqualTo(7);
			assertThat(retained.pages()).containsOnlyKeys(0);
		}
	}

	@Test
	void failsWithoutStatusInTime() {
		try (FakeBroker broker = new FakeBroker((channel, filter) -> {
			if (filter.equals(GatewayTopics.STATUS)) {
				repeat(channel, GatewayTopics.page(1), true);
			}
		})) {
			// The quiet period never ends, because the broker may pause on a busy
			// machine.
			assertThatThrownBy(() -> read(broker, Duration.ofMillis(500), Duration.ofDays(1)).get())
				.hasRootCauseMessage("the broker does not deliver its retained messages");
		}
	}

	private static BiConsumer<Channel, String> onGroup(Consumer<Channel> action) {
		return (channel, filter) -> {
			if (filter.equals(GatewayTopics.STATUS)) {
				FakeBroker.send(channel, filter, true, STATUS);
			}
			else if (filter.equals(GatewayTopics.group(0))) {
				action.accept(channel);
			}
		};
	}

	/** Sends a message until the connection ends. */
	private static void repeat(Channel channel, String topic, boolean retained) {
		if (channel.isActive()) {
			FakeBroker.send(channel, topic, retained, PAGE);
			channel.eventLoop().schedule(() -> repeat(channel, topic, retained), 2, TimeUnit.MILLISECONDS);
		}
	}

	private CompletableFuture<Retained> read(FakeBroker broker, Duration timeout) {
		return read(broker, timeout, RetainedReader.QUIET);
	}

	private CompletableFuture<Retained> read(FakeBroker broker, Duration timeout, Duration quiet) {
		GatewaySettings settings = new GatewaySettings("127.0.0.1", broker.port(), "gateway", null, null, null,
				Duration.ofMinutes(1), false, MemoryBudget.unlimited());
		return CompletableFuture
			.supplyAsync(() -> RetainedReader.read(this.group.next(), settings, timeout, quiet), this.group.next())
			.thenCompose((result) -> result);
	}

}

package io.statestore.boot;

import java.util.concurrent.atomic.AtomicLong;

import io.statestore.client.ClientResources;
import io.statestore.client.Key;
import io.statestore.client.StateStoreOperations;
import io.statestore.time.TimeSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/** A {@link TimeSource} bean, with which tests control the time of an application. */
class TimeSourceBeanTests {

	private static final long WALL_MILLIS = 1_893_456_000_000L;

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class));

	@Test
	void clientFollowsSystemTimeByDefault() {
		this.runner.withPropertyValues("statestore.start-timeout=0s", "statestore.port=1")
			.run((context) -> assertThat(context.getBean(ClientResources.class).time()).isSameAs(TimeSource.SYSTEM));
	}

	@Test
	void clientAndEmbeddedBrokerFollowBean() {
		TimeSource time = new FrozenTime(new AtomicLong());
		this.runner.withBean(TimeSource.class, () -> time)
			.withPropertyValues("statestore.embedded.enabled=true", "statestore.embedded.port=0")
			.run((context) -> {
				assertThat(context.getBean(ClientResources.class).time()).isSameAs(time);
				assertThat(
						context.getBean(StateStoreOperations.class).set(Key.of("key"), "value").version().wallMillis())
					.isEqualTo(WALL_MILLIS);
			});
	}

	private record FrozenTime(AtomicLong nanos) implements TimeSource {

		@Override
		public long nanoTime() {
			return this.nanos.get();
		}

		@Override
		public long currentTimeMillis() {
			return WALL_MILLIS;
		}

	}

}

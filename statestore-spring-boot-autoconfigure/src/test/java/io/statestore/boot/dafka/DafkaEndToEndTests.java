package io.statestore.boot.dafka;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.spring.DafkaErrorHandler;
import io.statestore.dafka.spring.DafkaListener;
import io.statestore.dafka.spring.DafkaListenerRegistry;
import io.statestore.dafka.spring.DafkaTemplate;
import io.statestore.dafka.tower.Tower;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Applications with a tower, a store, a producer, and listeners. */
@Timeout(180)
class DafkaEndToEndTests {

	@TempDir
	Path directory;

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("dafka.embedded.enabled=true", "dafka.consumer.offset-reset=earliest",
				"dafka.consumer.partition-discovery-interval=200ms")
		.withBean(OvenListener.class)
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, EmbeddedDafkaAutoConfiguration.class,
				DafkaAutoConfiguration.class, DafkaHealthAutoConfiguration.class));

	@Test
	void continuesAtSavedOffsetAfterRestart() {
		ApplicationContextRunner onDisk = this.contextRunner.withPropertyValues(
				"dafka.store.directory=" + this.directory.resolve("store"),
				"dafka.consumer.offsets-directory=" + this.directory.resolve("offsets"),
				"dafka.producer.identity-directory=" + this.directory.resolve("identity"));
		onDisk.run((context) -> {
			DafkaTemplate template = context.getBean(DafkaTemplate.class);
			assertThat(template.send("ovens", new Oven(1))).succeedsWithin(Duration.ofSeconds(30));
			OvenListener listener = context.getBean(OvenListener.class);
			assertThat(listener.next()).isEqualTo(new Oven(1));
			context.getBean(DafkaListenerRegistry.class).stop("ovens");
			assertThat(template.send("ovens", new Oven(2))).succeedsWithin(Duration.ofSeconds(30));
		});
		assertThat(this.directory.resolve("offsets/ovens.offsets")).isNotEmptyFile();
		onDisk.run((context) -> {
			OvenListener listener = context.getBean(OvenListener.class);
			assertThat(listener.next()).as("what came while it was stopped").isEqualTo(new Oven(2));
			assertThat(context.getBean(DafkaTemplate.class).send("ovens", new Oven(3)))
				.succeedsWithin(Duration.ofSeconds(30))
				.satisfies((position) -> assertThat(position.offset()).isEqualTo(2));
			assertThat(listener.next()).isEqualTo(new Oven(3));
		});
	}

	@Test
	void startsFromBeginningWithoutOffsetsDirectory() {
		ApplicationContextRunner onDisk = this.contextRunner
			.withPropertyValues("dafka.store.directory=" + this.directory.resolve("store"));
		onDisk.run((context) -> {
			assertThat(context.getBean(DafkaTemplate.class).send("ovens", new Oven(1)))
				.succeedsWithin(Duration.ofSeconds(30));
			assertThat(context.getBean(OvenListener.class).next()).isEqualTo(new Oven(1));
		});
		onDisk.run((context) -> assertThat(context.getBean(OvenListener.class).next()).isEqualTo(new Oven(1)));
	}

	@Test
	void reportsHealth() {
		this.contextRunner.run((context) -> {
			DafkaHealthIndicator indicator = context.getBean(DafkaHealthIndicator.class);
			assertThat(context.getBean(DafkaTemplate.class).send("ovens", new Oven(1)))
				.succeedsWithin(Duration.ofSeconds(30));
			context.getBean(OvenListener.class).next();
			Health health = indicator.health();
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(health.getDetails()).containsKeys("producer", "store", "listeners");
			context.getBean(DafkaListenerRegistry.class).stop("ovens");
			assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
		});
	}

	@Test
	void reportsDownAfterErrorHandlerStoppedListener() {
		this.contextRunner.withBean(StoppingListener.class).withBean("stop", Stopping.class).run((context) -> {
			assertThat(context.getBean(DafkaTemplate.class).send("ovens", new Oven(1)))
				.succeedsWithin(Duration.ofSeconds(30));
			assertThat(context.getBean(Stopping.class).failures.poll(30, TimeUnit.SECONDS)).isNotNull();
			DafkaHealthIndicator indicator = context.getBean(DafkaHealthIndicator.class);
			await().until(() -> indicator.health().getStatus() == Status.DOWN);
			assertThat(indicator.health().getDetails().toString()).contains("java.lang.IllegalStateException")
				.doesNotContain("secret");
		});
	}

	@Test
	void reportsDownAfterEmbeddedTowerFailed() {
		this.contextRunner.run((context) -> {
			DafkaHealthIndicator indicator = context.getBean(DafkaHealthIndicator.class);
			assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
			assertThat(indicator.health().getDetails().get("tower")).asString().startsWith("forwarded ");
			Object server = ReflectionTestUtils.getField(context.getBean(Tower.class), "server");
			Object network = ReflectionTestUtils.getField(Objects.requireNonNull(server), "transport");
			ReflectionTestUtils.setField(Objects.requireNonNull(network), "failure", new StackOverflowError());
			assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
			assertThat(indicator.health().getDetails()).containsEntry("tower",
					"failed with java.lang.StackOverflowError");
		});
	}

	@Test
	void hasNoHealthIndicatorIfDisabled() {
		this.contextRunner.withPropertyValues("management.health.dafka.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(DafkaHealthIndicator.class));
		this.contextRunner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("dafkaHealthIndicator"));
	}

	record Oven(double celsius) {
	}

	static class OvenListener {

		private final BlockingQueue<Oven> ovens = new LinkedBlockingQueue<>();

		@DafkaListener(id = "ovens", topics = "ovens")
		void changed(Oven oven) {
			this.ovens.add(oven);
		}

		Oven next() throws InterruptedException {
			Oven next = this.ovens.poll(30, TimeUnit.SECONDS);
			assertThat(next).isNotNull();
			return next;
		}

	}

	static class StoppingListener {

		@DafkaListener(id = "stopping", topics = "ovens", errorHandler = "stop")
		void changed(Oven oven) {
			throw new IllegalStateException("secret");
		}

	}

	static class Stopping implements DafkaErrorHandler {

		final BlockingQueue<Failure> failures = new LinkedBlockingQueue<>();

		@Override
		public Action handle(Failure failure) {
			this.failures.add(failure);
			return Action.STOP;
		}

	}

}

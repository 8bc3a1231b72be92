package io.statestore.client;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.protocol.Version;
import io.statestore.test.DocumentedSnippets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Compiles and runs the snippets in {@code docs/template.md}. */
class TemplateDocumentationTests {

	private static final Logger logger = LoggerFactory.getLogger(TemplateDocumentationTests.class);

	private final InMemoryStateStore invoker = new InMemoryStateStore();

	private final StateStoreOperations store = new StateStoreTemplate(this.invoker,
			new JacksonValueConverter(new JsonMapper()));

	@Test
	void everySnippetIsInThisClass() throws IOException {
		DocumentedSnippets.assertAllIn("template.md", 16, getClass());
	}

	@Test
	void getsAndSets() {
		SetResult written = store.set("machines/press/reading", new Reading("cpu", 0.25));

		Optional<Entry<Reading>> entry = store.get("machines/press/reading", Reading.class);
		Reading reading = entry.orElseThrow().value();
		Version version = entry.orElseThrow().version();
		assertThat(reading).isEqualTo(new Reading("cpu", 0.25));
		assertThat(version).isEqualTo(written.version());
		store.set("machines/press/history", List.of(reading));
		ParameterizedTypeReference<List<Reading>> listOfReadings = new ParameterizedTypeReference<>() {
		};
		List<Reading> readings = store.getValue("machines/press/history", listOfReadings).orElse(List.of());
		assertThat(readings).containsExactly(reading);
		Reading current = store.getValue("machines/press/reading", Reading.class).orElse(Reading.NONE);
		boolean known = store.exists("machines/press/reading");
		assertThat(current).isEqualTo(reading);
		assertThat(known).isTrue();
		Map<String, Entry<Reading>> entries = store.getAll(List.of("machines/press/reading", "machines/oven/reading"),
				Reading.class);
		Map<Key, Entry<Reading>> all = store.getAll(store.scan("machines/*/reading"), Reading.class);
		assertThat(entries).containsOnlyKeys("machines/press/reading");
		assertThat(all).containsOnlyKeys(Key.of("machines/press/reading"));
		store.withTimeout(Duration.ofMillis(500)).get("machines/press/reading", Reading.class);
	}

	@Test
	void appliesPrefixAndDefaultExpiry() {
		StateStoreTemplate template = (StateStoreTemplate) store;
		StateStoreTemplate line = template.withKeyPrefix("line-1/");
		line.set("setpoint", 42);
		List<Key> keys = line.scan("*").stream().toList();
		assertThat(keys).containsExactly(Key.of("setpoint"));
		assertThat(store.exists("line-1/setpoint")).isTrue();
		StateStoreTemplate shortLived = template.withDefaultExpiry(Duration.ofHours(1));
		shortLived.set("machines/press/reading", "hot");
		shortLived.set("machines/press/name", "Press 1", (spec) -> spec.neverExpire());
		invoker.pass(Duration.ofHours(1));
		assertThat(store.exists("machines/press/reading")).isFalse();
		assertThat(store.exists("machines/press/name")).isTrue();
	}

	@Test
	void setsConditionallyAndDeletes() {
		SetResult first = store.set("jobs/nightly", "node-1", (spec) -> spec.ifAbsent().expire(Duration.ofMinutes(5)));
		if (!first.applied()) {
			Version existing = first.version();
			logger.info("Taken since {}", existing);
		}
		boolean gone = store.delete("machines/press/reading").deleted();

		DeleteResult result = store.deleteIfEquals("jobs/nightly", "node-1");
		String outcome = switch (result.outcome()) {
			case DELETED -> "released";
			case ABSENT -> "had expired";
			case DIFFERENT -> "belongs to another node since " + result.version();
		};
		assertThat(first.applied()).isTrue();
		assertThat(gone).isFalse();
		assertThat(outcome).isEqualTo("released");
	}

	@Test
	void writesAfterTransaction() {
		TransactionTemplate transactionTemplate = new TransactionTemplate(new TestTransactionManager());
		transactionTemplate.executeWithoutResult((status) -> {
			// ... write to the database
			store.afterCommit((after) -> after.set("orders/4711/state", "packed"));
		});
		assertThat(store.getValue("orders/4711/state", String.class)).contains("packed");
	}

	@Test
	void countsAndUpdates() {
		store.set("machines/press/reading", new Reading("cpu", 0.5));
		long parts = store.increment("machines/press/parts", 1);

		Optional<Reading> updated = store.update("machines/press/reading", Reading.class,
				(stored) -> stored.map((reading) -> new Reading(reading.sensor(), reading.load() / 2)));

		Entry<Reading> read = store.get("machines/press/reading", Reading.class).orElseThrow();
		boolean replaced = store.replace("machines/press/reading", Reading.NONE, read.version()).isPresent();
		assertThat(parts).isEqualTo(1);
		assertThat(updated).contains(new Reading("cpu", 0.25)).contains(read.value());
		assertThat(replaced).isTrue();
	}

	@Test
	void fencesScansAndCallsAsynchronously() {
		Version lockVersion = store.set("lock", "holder").version();
		FencingToken token = new FencingToken(lockVersion);
		StateStoreOperations fenced = store.fencedBy(token);
		fenced.set("machines/press/setpoint", 42);
		fenced.delete("machines/press/draft");
		CompletableFuture<SetResult> pending = store.async()
			.set("machines/press/reading", new Reading("cpu", 0.5))
			.orTimeout(3, TimeUnit.SECONDS);
		assertThat(pending.join().applied()).isTrue();
		for (Key key : store.scan("machines/*/reading")) {
			logger.info("{}", key);
		}
		List<String> firstTen = store.scan("machines/*").stream().limit(10).map(Key::toString).toList();
		assertThat(firstTen).containsExactly("machines/press/reading", "machines/press/setpoint");
	}

	@Test
	void connectsWithoutSpringBoot() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			int port = broker.port();
			StateStoreConnection connection = new StateStoreConnection(
					ConnectionOptions.builder().host("localhost").port(port).build());
			StateStoreOperations store = new StateStoreTemplate(connection,
					new JacksonValueConverter(new JsonMapper()));
			connection.start();
			try {
				store.set("machines/press/setpoint", 42);
				assertThat(new Press(store).setpoint()).contains(42);
				assertThat(new Press(store).claim("node-1")).isTrue();
			}
			finally {
				connection.stop();
			}
		}
	}

	@Tag("long")
	@Test
	void retriesAnyUnsentCall() {
		this.invoker.failTimes(4, new StateStoreNotSentException("no connection"));
		withJobs((jobs) -> {
			assertThat(jobs.claim("nightly", "node-1")).isTrue();
			assertThat(this.invoker.commands).hasSize(5);
		});
	}

	@Test
	void doesNotRetryConditionalSetWithUnknownOutcome() {
		this.invoker.failTimes(1, new StateStoreOutcomeUnknownException("no reply"));
		withJobs((jobs) -> {
			assertThatExceptionOfType(StateStoreOutcomeUnknownException.class)
				.isThrownBy(() -> jobs.claim("nightly", "node-1"));
			assertThat(this.invoker.commands).hasSize(1);
		});
	}

	@Test
	void retriesReadWithUnknownOutcome() {
		this.invoker.failTimes(1, new StateStoreOutcomeUnknownException("no reply"));
		withJobs((jobs) -> {
			assertThat(jobs.owner("nightly")).isEmpty();
			assertThat(this.invoker.commands).hasSize(2);
		});
	}

	private void withJobs(Consumer<Jobs> test) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(StateStoreOperations.class, () -> this.store);
			context.register(ResilientMethods.class, Jobs.class);
			context.refresh();
			test.accept(context.getBean(Jobs.class));
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class ResilientMethods {

	}

	record Reading(String sensor, double load) {

		static final Reading NONE = new Reading("none", 0);

	}

}

@Service
class Press {

	private final StateStoreOperations store;

	Press(StateStoreOperations store) {
		this.store = store;
	}

	boolean claim(String node) {
		SetResult result = this.store.set("machines/press/owner", node, (spec) -> spec.ifAbsent());
		return result.applied();
	}

	Optional<Integer> setpoint() {
		return this.store.getValue("machines/press/setpoint", Integer.class);
	}

}

@Service
class Jobs {

	private final StateStoreOperations store;

	Jobs(StateStoreOperations store) {
		this.store = store;
	}

	@Retryable(includes = StateStoreNotSentException.class, maxRetries = 4, delay = 200, multiplier = 2)
	boolean claim(String job, String node) {
		return this.store.set("jobs/" + job, node, (spec) -> spec.ifAbsent()).applied();
	}

	@Retryable(includes = TransientStateStoreException.class, maxRetries = 4, delay = 200, multiplier = 2)
	Optional<String> owner(String job) {
		return this.store.getValue("jobs/" + job, String.class);
	}

}

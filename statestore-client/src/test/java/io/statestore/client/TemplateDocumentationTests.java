package io.statestore.client;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.statestore.client.json.JacksonValueConverter;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** What {@code docs/template.md} shows compiles, runs and is what this class runs. */
class TemplateDocumentationTests {

	private static final Logger logger = LoggerFactory.getLogger(TemplateDocumentationTests.class);

	private final CommandInvoker invoker = new InMemoryStateStore();

	private final JsonMapper jsonMapper = JsonMapper.builder().build();

	@Test
	void everySnippetIsInThisClass() throws IOException {
		DocumentedSnippets.assertAllIn(getClass(), "template.md", 8);
	}

	@Test
	void getAndSet() {
		StateStoreOperations store = new StateStoreTemplate(invoker, new JacksonValueConverter(jsonMapper));
		SetResult written = store.set("machines/press/reading", new Reading("cpu", 0.25));

		Optional<Entry<Reading>> entry = store.get("machines/press/reading", Reading.class);
		Reading reading = entry.orElseThrow().value();
		Version version = entry.orElseThrow().version();
		assertThat(reading).isEqualTo(new Reading("cpu", 0.25));
		assertThat(version).isEqualTo(written.version());
		store.set("machines/press/history", List.of(reading));
		List<Reading> readings = store.get("machines/press/history", new ParameterizedTypeReference<List<Reading>>() {
		}).map(Entry::value).orElse(List.of());
		assertThat(readings).containsExactly(reading);
		store.withTimeout(Duration.ofMillis(500)).get("machines/press/reading", Reading.class);
	}

	@Test
	void conditionsAndDelete() {
		StateStoreOperations store = new StateStoreTemplate(this.invoker);
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
	void fencingScanAndAsync() {
		StateStoreOperations store = new StateStoreTemplate(this.invoker, new JacksonValueConverter(this.jsonMapper));
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

	record Reading(String sensor, double load) {
	}

}

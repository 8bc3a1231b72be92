package io.statestore.broker.standalone;

import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.conformance.StoreClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class RefusalLogTests {

	@Test
	void reportsOnlyNewRefusalsWithTotals() {
		List<String> lines = new ArrayList<>();
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.limits((limits) -> limits.withMaxKeys(1).withMaxSize(100))
			.start(); StoreClient client = StoreClient.connect(broker.port(), "c")) {
			RefusalLog log = new RefusalLog(broker::statistics, lines::add);
			client.call("SET", "a", "v");
			log.report();
			assertThat(lines).isEmpty();

			client.call("SET", "b", "v");
			client.call("SET", "c", "v");
			log.report();
			log.report();
			assertThat(lines).singleElement()
				.asString()
				.startsWith("Limits refused 2 times since the last report, 2 times since the start: 2 requests, ")
				.contains("OBSERVATION=0", "In use: 1 of 1 keys, 2 of 100 bytes, ");

			client.call("SET", "b", "v");
			log.report();
			assertThat(lines).last().asString().startsWith("Limits refused 1 times since the last report, 3 times");
		}
	}

}

package io.statestore.client.lock.annotation;

import java.util.concurrent.CompletableFuture;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** Annotated methods in two Spring contexts, whose locks are on a real socket. */
@Timeout(120)
class LockedContextsTests {

	@Test
	void excludesCallsFromTwoContexts() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				TestClient client = new TestClient(broker.port()).start();
				TestClient other = new TestClient(broker.port()).start();
				AnnotationConfigApplicationContext here = context(client);
				AnnotationConfigApplicationContext there = context(other)) {
			CompletableFuture<?>[] calls = new CompletableFuture<?>[4];
			for (int i = 0; i < calls.length; i++) {
				Press press = ((i % 2 == 0) ? here : there).getBean(Press.class);
				calls[i] = CompletableFuture.runAsync(() -> {
					for (int call = 0; call < 10; call++) {
						press.count("counter");
					}
				}, (task) -> new Thread(task).start());
			}
			CompletableFuture.allOf(calls).get();
			assertThat(client.template.getValue("counter", String.class)).contains("40");
		}
	}

	private static AnnotationConfigApplicationContext context(TestClient client) {
		return PressContext.create(client.template, (beans) -> {
		});
	}

}

package io.statestore.broker.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static io.statestore.broker.engine.TestStore.del;
import static org.assertj.core.api.Assertions.assertThat;

/** SCAN (protocol section 2). */
class ScanTests {

	private final TestStore store = new TestStore();

	@Test
	void returnsOnePageForEmptyStore() {
		assertThat(page("*", null)).isEqualTo(new Reply.Page(List.of(), null));
	}

	@Test
	void findsMatchingKeys() {
		for (String key : List.of("machines/a/cpu", "machines/b/cpu", "machines/b/disk", "other")) {
			this.store.set(key, "v");
		}
		assertThat(scan("machines/*/cpu")).containsExactlyInAnyOrder(Bytes.of("machines/a/cpu"),
				Bytes.of("machines/b/cpu"));
		assertThat(scan("machines/b/*")).hasSize(2);
		assertThat(scan("*")).hasSize(4);
		assertThat(scan("other")).containsExactly(Bytes.of("other"));
		assertThat(scan("othe")).isEmpty();
	}

	@Test
	void answerHasNoVersion() {
		assertThat(this.store.apply(new Command.Scan(Bytes.of("*"), null)).version()).isNull();
	}

	@Test
	void ignoresExpiredKeys() {
		this.store.set("k", "v", Duration.ofSeconds(1));
		this.store.pass(Duration.ofSeconds(2));
		assertThat(scan("*")).isEmpty();
	}

	@Test
	void refusesInvalidTokenAndPattern() {
		Reply syntaxError = TestStore.error(ErrorReason.SYNTAX_ERROR);
		assertThat(this.store.apply(new Command.Scan(Bytes.of("*"), Bytes.of("token"))).reply()).isEqualTo(syntaxError);
		assertThat(this.store.apply(new Command.Scan(Bytes.of("*"), Bytes.EMPTY)).reply()).isEqualTo(syntaxError);
		assertThat(this.store.apply(new Command.Scan(Bytes.of("[a"), null)).reply()).isEqualTo(syntaxError);
	}

	@Test
	void boundsWorkPerPageWithoutMatches() {
		for (int i = 0; i < 50_000; i++) {
			this.store.set("key-" + i, "v");
		}
		int pages = 0;
		Bytes token = null;
		do {
			Reply.Page page = page("*nothing", token);
			assertThat(page.keys()).isEmpty();
			token = page.token();
			pages++;
		}
		while (token != null);
		assertThat(pages).isGreaterThan(5);
	}

	@Test
	void boundsKeysAndBytesPerPage() {
		for (int i = 0; i < 3_000; i++) {
			this.store.set("key-" + i, "v");
		}
		assertThat(page("*", null).keys()).hasSizeBetween(1_000, 1_050);
		TestStore large = new TestStore();
		for (int i = 0; i < 200; i++) {
			large.set(i + "k".repeat(30_000), "v");
		}
		Reply.Page page = (Reply.Page) large.apply(new Command.Scan(Bytes.of("*"), null)).reply();
		assertThat(page.keys().stream().mapToInt(Bytes::length).sum()).isLessThan(64 * 1024 + 20 * 30_000);
		assertThat(page.token()).isNotNull();
	}

	@Property(tries = 10)
	void fullScanFindsEachKeyExactlyOnce(@ForAll long seed) {
		TestStore store = new TestStore();
		Random random = new Random(seed);
		int keys = 1 + random.nextInt(4_000);
		// During the SCAN, the table shrinks to an eighth or grows fourfold
		int added = random.nextInt(3 * keys);
		double removed = random.nextDouble() * 1.2;
		Set<Bytes> present = new HashSet<>();
		Set<Bytes> ever = new HashSet<>();
		for (int i = 0; i < keys; i++) {
			store.set("key-" + i, "v");
			present.add(Bytes.of("key-" + i));
		}
		ever.addAll(present);
		List<Bytes> found = new ArrayList<>();
		Bytes token = null;
		do {
			Reply.Page page = (Reply.Page) store.apply(new Command.Scan(Bytes.of("*"), token)).reply();
			found.addAll(page.keys());
			token = page.token();
			for (int i = 0; i < added / 4; i++) {
				String key = "new-" + random.nextInt();
				store.set(key, "v");
				ever.add(Bytes.of(key));
			}
			for (Bytes key : List.copyOf(ever)) {
				if (random.nextDouble() < removed / 2) {
					store.apply(new Command.Del(key));
					present.remove(key);
				}
			}
			for (int i = 0; i < 10; i++) {
				store.set("key-" + random.nextInt(keys), "again");
			}
		}
		while (token != null);
		assertThat(found).doesNotHaveDuplicates();
		assertThat(ever.containsAll(found)).isTrue();
		present.removeAll(new HashSet<>(found));
		assertThat(present).isEmpty();
	}

	@Test
	void scansShrunkTableInFewPages() {
		for (int i = 0; i < 30_000; i++) {
			this.store.set("key-" + i, "v");
		}
		for (int i = 10; i < 30_000; i++) {
			this.store.apply(del("key-" + i));
		}
		Reply.Page page = page("*", null);
		assertThat(page.keys()).hasSize(10);
		assertThat(page.token()).isNull();
	}

	@Test
	void findsNoKeyTwiceAfterTableHasShrunk() {
		for (int i = 0; i < 40_000; i++) {
			this.store.set("key-" + i, "v");
		}
		Reply.Page first = page("*", null);
		// The last keys of the page are in the first bucket of the next page
		Set<Bytes> kept = Set.copyOf(first.keys().subList(first.keys().size() - 8, first.keys().size()));
		for (int i = 0; i < 40_000; i++) {
			if (!kept.contains(Bytes.of("key-" + i))) {
				this.store.apply(del("key-" + i));
			}
		}
		assertThat(page("*", first.token())).isEqualTo(new Reply.Page(List.of(), null));
		assertThat(scan("*")).containsExactlyInAnyOrderElementsOf(kept);
	}

	@Test
	void tokensDoNotDependOnHiddenKeysThatMatch() {
		for (int i = 0; i < 5_000; i++) {
			this.store.set("secret-" + i, "v");
			this.store.set("open-" + i, "v");
		}
		List<Bytes> tokens = tokensOfHidden("nothing-*");
		assertThat(tokens).hasSizeGreaterThan(2);
		assertThat(tokensOfHidden("secret-*")).isEqualTo(tokens);
	}

	private List<Bytes> tokensOfHidden(String pattern) {
		KeySelection visible = (key, steps) -> {
			steps.accept(100);
			return key.toUtf8().startsWith("open-");
		};
		List<Bytes> tokens = new ArrayList<>();
		Bytes token = null;
		do {
			Command.Scan scan = new Command.Scan(Bytes.of(pattern), token);
			Reply.Page page = (Reply.Page) this.store.machine.read(scan, visible).reply();
			assertThat(page.keys()).isEmpty();
			token = page.token();
			if (token != null) {
				tokens.add(token);
			}
		}
		while (token != null);
		return tokens;
	}

	private Reply.Page page(String pattern, @Nullable Bytes token) {
		return (Reply.Page) this.store.apply(new Command.Scan(Bytes.of(pattern), token)).reply();
	}

	private List<Bytes> scan(String pattern) {
		List<Bytes> found = new ArrayList<>();
		Bytes token = null;
		do {
			Reply.Page page = page(pattern, token);
			found.addAll(page.keys());
			token = page.token();
		}
		while (token != null);
		return found;
	}

}

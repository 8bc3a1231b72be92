package io.statestore.console;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.statestore.client.Key;
import io.statestore.client.KeyPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.GlobPattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class KeySearchTests {

	private final List<Key> store = new ArrayList<>(
			IntStream.range(0, 100_000).mapToObj((i) -> Key.of(((i % 2 == 0) ? "line/" : "secret/") + i)).toList());

	private final List<String> scans = new ArrayList<>();

	/** Scans like a server: up to 1,000 keys per page, whose token is a position. */
	private KeyPage scan(String pattern, @Nullable Bytes token) {
		this.scans.add(pattern);
		int start = (token != null) ? Integer.parseInt(token.toUtf8()) : 0;
		int end = Math.min(start + 2_000, this.store.size());
		GlobPattern.Matcher matcher = GlobPattern.of(Bytes.of(pattern)).matcher();
		return new KeyPage(
				this.store.subList(start, end).stream().filter((key) -> matcher.matches(key.bytes())).toList(),
				(end < this.store.size()) ? Bytes.of(String.valueOf(end)) : null);
	}

	private KeySearch search(String search, String... patterns) {
		return new KeySearch(new ReadableKeys(List.of(patterns)), search, this::scan);
	}

	@Test
	void readsOnlyAsMuchAsPageNeeds() {
		KeySearch.Page first = search("", "*").next(null);
		assertThat(first.keys()).hasSize(KeySearch.PAGE);
		assertThat(this.scans).hasSize(1);
		search("", "*").next(first.next());
		assertThat(this.scans).hasSize(2);
	}

	@Test
	void pagesContainEachKeyOnce() {
		Set<Key> found = new HashSet<>();
		int count = 0;
		KeySearch.Position position = null;
		do {
			KeySearch.Page page = search("line/*", "line/*", "line/1*").next(position);
			assertThat(page.keys()).allMatch((key) -> key.toString().startsWith("line/"));
			found.addAll(page.keys());
			count += page.keys().size();
			position = (page.next() != null) ? KeySearch.Position.parse(page.next().toString()) : null;
		}
		while (position != null);
		assertThat(found).hasSize(50_000);
		assertThat(count).isEqualTo(50_000);
	}

	@Test
	void missesNoKeyWhenLastKeyIsDeleted() {
		KeySearch.Page first = search("", "*").next(null);
		Key next = this.store.get(KeySearch.PAGE);
		this.store.remove(KeySearch.PAGE - 1);
		assertThat(search("", "*").next(first.next()).keys()).hasSize(KeySearch.PAGE);
		Set<Key> found = new HashSet<>(first.keys());
		KeySearch.Position position = first.next();
		while (position != null && !found.contains(next)) {
			KeySearch.Page page = search("", "*").next(position);
			found.addAll(page.keys());
			position = page.next();
		}
		assertThat(found).contains(next);
	}

	@Test
	void scansOnlyPatternsOfUser() {
		search("secret/*", "line/*").next(null);
		search("*9", "line/*").next(null);
		assertThat(this.scans).containsOnly("line/*");
		this.scans.clear();
		search("line/1*", "line/*").next(null);
		search("line/1*", "*").next(null);
		assertThat(this.scans).containsOnly("line/1*");
		this.scans.clear();
		search("line/1*", "l?ne/*").next(null);
		assertThat(this.scans).containsOnly("l?ne/*");
	}

	@Test
	void refusesInvalidPositionsAndPatterns() {
		for (String position : List.of("", "1", "x::", "0:zz:", "0::1")) {
			assertThatIllegalArgumentException().isThrownBy(() -> KeySearch.Position.parse(position));
		}
		assertThatIllegalStateException().isThrownBy(() -> new ReadableKeys(List.of("[")))
			.withMessageContaining("ConsoleAccess");
	}

}

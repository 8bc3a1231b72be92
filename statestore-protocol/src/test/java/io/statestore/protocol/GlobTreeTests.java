package io.statestore.protocol;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GlobTreeTests {

	private static final String[] PARTS = { "a", "b", "/", "*", "?", "[ab]", "[!a]", "[*]", "\u00e4", "\ud83d\ude00" };

	private final GlobTree<Integer> tree = new GlobTree<>();

	private Set<Integer> match(Bytes key) {
		Set<Integer> values = new HashSet<>();
		this.tree.match(key, values::add);
		return values;
	}

	@Property(tries = 300)
	void findsValuesOfMatchingPatterns(@ForAll long seed) {
		Random random = new Random(seed);
		Map<Integer, GlobPattern> patterns = new HashMap<>();
		for (int step = 0; step < 60; step++) {
			int value = random.nextInt(12);
			GlobPattern earlier = patterns.remove(value);
			if (earlier != null) {
				assertThat(this.tree.remove(earlier, value)).isTrue();
				assertThat(this.tree.remove(earlier, value)).isFalse();
			}
			else {
				GlobPattern pattern = GlobPattern.of(Bytes.of(text(random, PARTS.length)));
				patterns.put(value, pattern);
				assertThat(this.tree.add(pattern, value)).isTrue();
				assertThat(this.tree.add(pattern, value)).isFalse();
			}
			Bytes key = key(random);
			Set<Integer> expected = new HashSet<>();
			patterns.forEach((each, pattern) -> {
				if (pattern.matches(key)) {
					expected.add(each);
				}
			});
			assertThat(match(key)).isEqualTo(expected);
			assertThat(this.tree.size()).isEqualTo(patterns.size());
		}
		patterns.forEach((value, pattern) -> this.tree.remove(pattern, value));
		assertThat(this.tree.size()).isZero();
		assertThat(match(Bytes.of("a"))).isEmpty();
	}

	/** Returns a key, which is sometimes malformed. */
	private static Bytes key(Random random) {
		byte[] key = (text(random, 3) + (random.nextBoolean() ? "\u00e4" : "") + text(random, 3))
			.getBytes(StandardCharsets.UTF_8);
		if (random.nextInt(4) == 0) {
			key[random.nextInt(key.length)] = (byte) (0x80 + random.nextInt(0x80));
		}
		return Bytes.wrap(key);
	}

	private static String text(Random random, int parts) {
		StringBuilder text = new StringBuilder();
		for (int i = random.nextInt(6); i >= 0; i--) {
			text.append(PARTS[random.nextInt(parts)]);
		}
		return text.toString();
	}

	@Test
	void findsValueWithSeveralPatternsOnce() {
		for (String pattern : List.of("a*", "*b", "ab")) {
			this.tree.add(GlobPattern.of(Bytes.of(pattern)), 1);
		}
		assertThat(match(Bytes.of("ab"))).containsExactly(1);
		assertThat(this.tree.size()).isEqualTo(3);
	}

}

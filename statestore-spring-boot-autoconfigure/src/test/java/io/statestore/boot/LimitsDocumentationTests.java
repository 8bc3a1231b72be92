package io.statestore.boot;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.principal.PrincipalLimits;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares {@code docs/limits.md} with the limits of the embedded broker. */
class LimitsDocumentationTests {

	private static final Path PAGE = Path.of("../docs/limits.md");

	@Test
	void pageListsEveryEmbeddedBrokerLimit() throws Exception {
		assertThat(names(PAGE, "\\| `statestore\\.embedded\\.([a-z-]+)` \\|")).containsExactly("max-keys", "max-size");
		assertThat(names(PAGE, "\\| `limits`, `(with\\w+)` \\|"))
			.isEqualTo(methods(Limits.class, "with(?!MaxKeys|MaxSize).+"));
		assertThat(names(PAGE, "\\| `principalLimits`, `(with\\w+)` \\|"))
			.isEqualTo(methods(PrincipalLimits.class, "with.+"));
		assertThat(names(PAGE, "\\| `(max\\w+)` \\|")).isEqualTo(methods(StateStoreBrokerBuilder.class, "max.+"));
	}

	private static Set<String> methods(Class<?> type, String pattern) {
		return Stream.of(type.getMethods())
			.map(Method::getName)
			.filter((name) -> name.matches(pattern))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static Set<String> names(Path file, String pattern) throws Exception {
		return Pattern.compile(pattern)
			.matcher(Files.readString(file))
			.results()
			.map((name) -> name.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
	}

}

package io.statestore.cli;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AuthorTests {

	@Test
	void findsAuthorInItsClientId() {
		for (String name : new String[] { "alice", "night-shift", "jürgen@press-1", "a".repeat(64) }) {
			Author author = new Author(name);
			assertThat(Author.in(author.newClientId())).contains(author);
			assertThat(author.newClientId()).isNotEqualTo(author.newClientId());
		}
	}

	@Test
	void findsNoAuthorInOtherClientIds() {
		for (String id : new String[] { "", "press-1", "cli-alice", "cli--0123abcd", "cli-a b-0123abcd" }) {
			assertThat(Author.in(id)).isEmpty();
		}
	}

	@Test
	void refusesInvalidCharacters() {
		for (String name : new String[] { "", "a b", "a/b", "a#", "+", "a".repeat(65) }) {
			assertThatExceptionOfType(CliException.class).isThrownBy(() -> new Author(name))
				.withMessageContaining("use 1 to 64");
			assertThat(Author.ofAny(name).name()).matches("[a-z_]{1,64}");
		}
	}

}

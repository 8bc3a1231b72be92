package io.statestore.client;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;

import io.statestore.protocol.Command;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class StateStoreTemplateScanTests {

	private final InMemoryStateStore store = new InMemoryStateStore().pageSize(3);

	private final StateStoreOperations template = new StateStoreTemplate(this.store);

	private final List<Key> keys = IntStream.range(0, 10).mapToObj((i) -> Key.of("key" + i)).toList();

	@BeforeEach
	void fill() {
		this.keys.forEach((key) -> this.template.set(key, "value"));
		this.template.set("other", "value");
		this.store.commands.clear();
	}

	@Test
	void findsAllKeysOnAllPages() {
		List<Key> found = new ArrayList<>();
		for (Key key : this.template.scan("key*")) {
			found.add(key);
		}
		assertThat(found).isEqualTo(this.keys);
		assertThat(pages()).isEqualTo(4);
	}

	@Test
	void requestsNothingBeforeFirstKey() {
		KeyScan scan = this.template.scan("key*");
		Iterator<Key> iterator = scan.iterator();
		assertThat(scan.stream()).isNotNull();
		assertThat(pages()).isZero();
		assertThat(iterator.next()).isEqualTo(Key.of("key0"));
		assertThat(pages()).isOne();
	}

	@Test
	void requestsPageOnlyWhenNeeded() {
		Iterator<Key> iterator = this.template.scan("key*").iterator();
		for (int i = 0; i < 3; i++) {
			assertThat(iterator.hasNext()).isTrue();
			assertThat(iterator.hasNext()).isTrue();
			iterator.next();
		}
		assertThat(pages()).isOne();
		assertThat(iterator.hasNext()).isTrue();
		assertThat(pages()).isEqualTo(2);
	}

	@Test
	void stoppedStreamRequestsNoMorePages() {
		assertThat(this.template.scan("key*").stream().limit(3)).containsExactlyElementsOf(this.keys.subList(0, 3));
		assertThat(pages()).isOne();
		assertThat(this.template.scan("key*").stream().map(Key::toString).filter("key4"::equals).findFirst())
			.contains("key4");
		assertThat(pages()).isEqualTo(3);
	}

	@Test
	void skipsEmptyPagesWithToken() {
		this.store.emptyPages();
		assertThat(this.template.scan("key*")).containsExactlyElementsOf(this.keys);
		assertThat(pages()).isEqualTo(8);
	}

	@Test
	void returnsNoKeysForEmptyPage() {
		Iterator<Key> iterator = this.template.scan("nothing*").iterator();
		assertThat(iterator.hasNext()).isFalse();
		assertThat(iterator.hasNext()).isFalse();
		assertThat(pages()).isOne();
		assertThatExceptionOfType(NoSuchElementException.class).isThrownBy(iterator::next);
	}

	@Test
	void everyIterationIsANewScan() {
		KeyScan scan = this.template.scan("key*");
		assertThat(scan).hasSize(10);
		this.template.delete("key5");
		assertThat(scan).hasSize(9);
	}

	@Test
	void retriesSamePageAfterFailure() {
		List<Key> found = new ArrayList<>();
		Iterator<Key> iterator = this.template.scan("key*").iterator();
		for (int i = 0; i < 3; i++) {
			found.add(iterator.next());
		}
		this.store.answer(new StateStoreNotSentException("not connected"));
		assertThatExceptionOfType(StateStoreNotSentException.class).isThrownBy(iterator::hasNext);
		this.store.answerAgain();
		iterator.forEachRemaining(found::add);
		assertThat(found).isEqualTo(this.keys);
	}

	@Test
	void refusesEmptyPattern() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.scan(""))
			.withMessageContaining("'pattern' must not be empty")
			.withMessageContaining("*");
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.scan("\uD800"))
			.withMessageContaining("'pattern'");
	}

	@Test
	void returnsPagesToAsynchronousCallers() {
		StateStoreAsyncOperations async = this.template.async();
		KeyPage first = async.scan("key*").join();
		assertThat(first.keys()).isEqualTo(this.keys.subList(0, 3));
		assertThat(first.hasNext()).isTrue();
		KeyPage page = first;
		int count = page.keys().size();
		while (page.token() != null) {
			page = async.scan("key*", page.token()).join();
			count += page.keys().size();
		}
		assertThat(count).isEqualTo(10);
		assertThat(page.hasNext()).isFalse();
	}

	private long pages() {
		return this.store.commands.stream().filter(Command.Scan.class::isInstance).count();
	}

}

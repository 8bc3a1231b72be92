package io.statestore.client;

import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Scan that requests one page at a time.
 *
 * @param pages returns the page for a token, or the first page for {@code null}
 */
record PagedKeyScan(Function<@Nullable Bytes, KeyPage> pages) implements KeyScan {

	@Override
	public Iterator<Key> iterator() {
		return new KeyIterator();
	}

	private final class KeyIterator implements Iterator<Key> {

		private Iterator<Key> page = Collections.emptyIterator();

		private @Nullable Bytes token;

		private boolean lastPage;

		@Override
		public boolean hasNext() {
			while (!this.page.hasNext() && !this.lastPage) {
				KeyPage next = PagedKeyScan.this.pages.apply(this.token);
				this.page = next.keys().iterator();
				this.token = next.token();
				this.lastPage = !next.hasNext();
			}
			return this.page.hasNext();
		}

		@Override
		public Key next() {
			if (!hasNext()) {
				throw new NoSuchElementException();
			}
			return this.page.next();
		}

	}

}

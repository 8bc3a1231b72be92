package io.statestore.protocol;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

import org.jspecify.annotations.Nullable;

/**
 * A tree of patterns in which common prefixes share nodes, so that a key can be compared
 * with thousands of patterns simultaneously. Each character in the key takes one step per
 * node reached by the preceding characters. Not thread-safe.
 *
 * @param <T> type of the values assigned to patterns
 */
public final class GlobTree<T> {

	private static final String STAR = "*";

	private final Node<T> root = new Node<>();

	/**
	 * Number of the current step. A node with this number has already been reached in
	 * this step.
	 */
	private long step;

	private int size;

	private List<Node<T>> reached = new ArrayList<>();

	private List<Node<T>> next = new ArrayList<>();

	/**
	 * Returns the number of values of all patterns.
	 * @return the total, counting a value once for each of its patterns
	 */
	public int size() {
		return this.size;
	}

	/**
	 * Adds a value to a pattern.
	 * @param pattern the pattern that gets the value
	 * @param value the value to add
	 * @return {@code false} if the pattern already has the value
	 */
	public boolean add(GlobPattern pattern, T value) {
		Node<T> node = this.root;
		for (int i = 0; i < pattern.texts().size(); i++) {
			String text = pattern.texts().get(i);
			int element = i;
			node = GlobPattern.isWildcard(text) ? node.wildcard(text, (other) -> pattern.accepts(element, other))
					: node.character(text.codePointAt(0));
		}
		boolean added = node.addValue(value);
		this.size += added ? 1 : 0;
		return added;
	}

	/**
	 * Removes a value from a pattern.
	 * @param pattern the pattern that has the value
	 * @param value the value to remove
	 * @return {@code false} if the pattern does not have the value
	 */
	public boolean remove(GlobPattern pattern, T value) {
		boolean removed = remove(this.root, pattern.texts(), 0, value);
		this.size -= removed ? 1 : 0;
		return removed;
	}

	private boolean remove(Node<T> node, List<String> texts, int depth, T value) {
		if (depth == texts.size()) {
			return !node.values.isEmpty() && node.values.remove(value);
		}
		String text = texts.get(depth);
		boolean wildcard = GlobPattern.isWildcard(text);
		Node<T> child = wildcard ? node.wildcards.get(text) : node.child(text.codePointAt(0));
		boolean removed = child != null && remove(child, texts, depth + 1, value);
		if (child != null && child.isEmpty()) {
			if (wildcard) {
				node.wildcards.remove(text);
			}
			else {
				node.removeCharacter(text.codePointAt(0));
			}
		}
		return removed;
	}

	/**
	 * Finds the values of all patterns that match a key.
	 * @param key the key, read as UTF-8
	 * @param consumer receives each value, once for each of its matching patterns. Must
	 * not change this tree
	 */
	public void match(Bytes key, Consumer<T> consumer) {
		this.next.clear();
		this.step++;
		reach(this.root);
		int position = 0;
		// Avoids decoding: most keys are ASCII, or differ from all patterns in their
		// first characters.
		while (position < key.length() && key.at(position) >= 0 && !this.next.isEmpty()) {
			read(key.at(position++));
		}
		if (position < key.length() && !this.next.isEmpty()) {
			key.slice(position, key.length()).toUtf8().codePoints().forEach(this::read);
		}
		this.next.forEach((node) -> node.values.forEach(consumer));
	}

	private void read(int character) {
		List<Node<T>> nodes = this.next;
		this.next = this.reached;
		this.reached = nodes;
		this.next.clear();
		this.step++;
		for (int i = 0; i < nodes.size(); i++) {
			advance(nodes.get(i), character);
		}
	}

	private void advance(Node<T> node, int character) {
		if (node.star) {
			reach(node);
		}
		Node<T> child = node.child(character);
		if (child != null) {
			reach(child);
		}
		if (node.wildcards.isEmpty()) {
			return;
		}
		for (Node<T> wildcard : node.wildcards.values()) {
			if (wildcard.accepts != null && wildcard.accepts.test(character)) {
				reach(wildcard);
			}
		}
	}

	/**
	 * Reaches a node, and the star after it, because a star also matches an empty string.
	 */
	private void reach(Node<T> node) {
		if (node.step == this.step) {
			return;
		}
		node.step = this.step;
		this.next.add(node);
		Node<T> star = node.wildcards.isEmpty() ? null : node.wildcards.get(STAR);
		if (star != null) {
			reach(star);
		}
	}

	/** A pattern element that follows the elements of the parent nodes. */
	private static final class Node<T> {

		private Set<T> values = Set.of();

		/**
		 * The first child, stored here because most nodes have only one. Other children
		 * are in the maps.
		 */
		private @Nullable Node<T> first;

		private int firstCharacter;

		private Map<Integer, Node<T>> characters = Map.of();

		/** Children for wildcards, by the wildcard's text. */
		private Map<String, Node<T>> wildcards = Map.of();

		/**
		 * Characters that this element accepts, {@code null} for a star or a single
		 * character.
		 */
		private @Nullable IntPredicate accepts;

		private boolean star;

		private long step;

		boolean isEmpty() {
			return this.values.isEmpty() && this.first == null && this.characters.isEmpty() && this.wildcards.isEmpty();
		}

		boolean addValue(T value) {
			if (this.values.isEmpty()) {
				this.values = new HashSet<>(2);
			}
			return this.values.add(value);
		}

		@Nullable Node<T> child(int character) {
			return (this.first != null && this.firstCharacter == character) ? this.first
					: this.characters.isEmpty() ? null : this.characters.get(character);
		}

		Node<T> character(int character) {
			Node<T> child = child(character);
			if (child != null) {
				return child;
			}
			child = new Node<>();
			if (this.first == null) {
				this.first = child;
				this.firstCharacter = character;
				return child;
			}
			if (this.characters.isEmpty()) {
				this.characters = new HashMap<>(2);
			}
			this.characters.put(character, child);
			return child;
		}

		void removeCharacter(int character) {
			if (this.first != null && this.firstCharacter == character) {
				this.first = null;
			}
			else {
				this.characters.remove(character);
			}
		}

		Node<T> wildcard(String text, IntPredicate accepts) {
			if (this.wildcards.isEmpty()) {
				this.wildcards = new HashMap<>(2);
			}
			return this.wildcards.computeIfAbsent(text, (absent) -> {
				Node<T> node = new Node<>();
				node.star = text.equals(STAR);
				node.accepts = node.star ? null : accepts;
				return node;
			});
		}

	}

}

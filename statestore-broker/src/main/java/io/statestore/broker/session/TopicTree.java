package io.statestore.broker.session;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * A tree of topic levels that maps topic filters or topic names to values (MQTT 5 section
 * 4.7). Changed by one thread at a time; any thread may read it concurrently.
 *
 * @param <V> type of the values
 */
final class TopicTree<V> {

	private final Node<V> root = new Node<>();

	/**
	 * Changes the value of a filter or topic.
	 * @param path the filter or topic
	 * @param change receives the current value, {@code null} if there is none; returns
	 * the new value, {@code null} to remove it
	 */
	synchronized void update(String path, UnaryOperator<@Nullable V> change) {
		update(this.root, path, 0, change);
	}

	private void update(Node<V> node, String path, int from, UnaryOperator<@Nullable V> change) {
		if (from > path.length()) {
			node.value = change.apply(node.value);
			return;
		}
		int end = levelEnd(path, from);
		String level = path.substring(from, end);
		Node<V> child = node.child(level);
		Node<V> next = (child != null) ? child : new Node<>();
		update(next, path, end + 1, change);
		if (child == null && !next.isEmpty()) {
			node.add(level, next);
		}
		else if (child != null && next.isEmpty()) {
			node.remove(level);
		}
	}

	/** Returns the value of a filter or topic, {@code null} if there is none. */
	@Nullable V get(String path) {
		Node<V> node = this.root;
		for (int from = 0; node != null && from <= path.length();) {
			int end = levelEnd(path, from);
			node = node.child(path.substring(from, end));
			from = end + 1;
		}
		return (node != null) ? node.value : null;
	}

	/**
	 * Visits the values of the filters that match a topic.
	 * @param topic the topic, which contains no wildcards
	 * @param visitor receives the values
	 */
	void match(String topic, Consumer<V> visitor) {
		match(this.root, topic, 0, !topic.startsWith("$"), visitor);
	}

	private static <V> void match(Node<V> node, String topic, int from, boolean wildcards, Consumer<V> visitor) {
		if (wildcards) {
			Node<V> all = node.child("#");
			if (all != null) {
				all.visit(visitor);
			}
		}
		if (from > topic.length()) {
			node.visit(visitor);
			return;
		}
		int end = levelEnd(topic, from);
		Node<V> child = node.child(topic.substring(from, end));
		if (child != null) {
			match(child, topic, end + 1, true, visitor);
		}
		Node<V> any = wildcards ? node.child("+") : null;
		if (any != null) {
			match(any, topic, end + 1, true, visitor);
		}
	}

	/**
	 * Visits the values of the topics that a filter matches.
	 * @param filter the topic filter
	 * @param visitor receives the values
	 */
	void select(String filter, Consumer<V> visitor) {
		select(this.root, filter, 0, visitor);
	}

	private static <V> void select(Node<V> node, String filter, int from, Consumer<V> visitor) {
		if (from > filter.length()) {
			node.visit(visitor);
			return;
		}
		int end = levelEnd(filter, from);
		String level = filter.substring(from, end);
		if (level.equals("#")) {
			visitAll(node, from == 0, visitor);
		}
		else if (level.equals("+")) {
			node.children.forEach((name, child) -> {
				if (from > 0 || !name.startsWith("$")) {
					select(child, filter, end + 1, visitor);
				}
			});
		}
		else {
			Node<V> child = node.child(level);
			if (child != null) {
				select(child, filter, end + 1, visitor);
			}
		}
	}

	/** Visits the values of all topics. */
	void visitAll(Consumer<V> visitor) {
		visitAll(this.root, false, visitor);
	}

	private static <V> void visitAll(Node<V> node, boolean exceptReserved, Consumer<V> visitor) {
		node.visit(visitor);
		node.children.forEach((name, child) -> {
			if (!exceptReserved || !name.startsWith("$")) {
				visitAll(child, false, visitor);
			}
		});
	}

	private static int levelEnd(String path, int from) {
		int slash = path.indexOf('/', from);
		return (slash < 0) ? path.length() : slash;
	}

	private static final class Node<V> {

		private volatile Map<String, Node<V>> children = Map.of();

		private volatile @Nullable V value;

		@Nullable Node<V> child(String level) {
			return this.children.get(level);
		}

		void visit(Consumer<V> visitor) {
			V value = this.value;
			if (value != null) {
				visitor.accept(value);
			}
		}

		void add(String level, Node<V> child) {
			if (this.children.isEmpty()) {
				// Most nodes have at most one child.
				this.children = Map.of(level, child);
				return;
			}
			if (!(this.children instanceof ConcurrentHashMap)) {
				this.children = new ConcurrentHashMap<>(this.children);
			}
			this.children.put(level, child);
		}

		void remove(String level) {
			if (this.children instanceof ConcurrentHashMap) {
				this.children.remove(level);
			}
			else {
				this.children = Map.of();
			}
		}

		boolean isEmpty() {
			return this.value == null && this.children.isEmpty();
		}

	}

}

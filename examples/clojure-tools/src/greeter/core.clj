(ns greeter.core
  (:gen-class))

(defn -main []
  (println "Hello from Clojure"))

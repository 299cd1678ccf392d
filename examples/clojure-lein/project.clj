(defproject greeter "1.0.0"
  :dependencies [[org.clojure/clojure "1.12.0"]
                 [ring/ring-jetty-adapter "1.13.0"]]
  :main greeter.core
  :uberjar-name "greeter.jar"
  :profiles {:uberjar {:aot :all}})
